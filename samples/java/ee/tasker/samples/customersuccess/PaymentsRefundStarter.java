package ee.tasker.samples.customersuccess;

import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.util.UUID;

/** Submits through the engine's own facade, in this server: no HTTP, no credentials. */
@ApplicationScoped
public class PaymentsRefundStarter implements RefundStarter {
  @Inject
  TaskSubmissions tasks;

  @Override
  public StartedRefund start(JsonObject context, UUID correlationId, String idempotencyKey) {
    SubmittedTask refund = tasks.submit(TaskRequest.of("payments", "process_refund", "1.0.0")
        .context(context)
        .initiator("customer_success")
        .sourceSystem("samples")
        .reason("refund approved by customer success")
        .parentCorrelationId(correlationId)
        .idempotencyKey(idempotencyKey));
    return new StartedRefund(refund.taskUuid(), refund.isDuplicate());
  }
}
