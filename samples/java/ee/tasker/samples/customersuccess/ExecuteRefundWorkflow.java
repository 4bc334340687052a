package ee.tasker.samples.customersuccess;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;

/**
 * Submits the approved refund to the payments team's workflow and does not wait for it. The
 * idempotency key has the step's
 * {@link StepContext#idempotencyToken()}, which all attempts share: if this server crashes after
 * starting the refund and
 * before submitting the result, the next attempt finds the refund it started.
 */
@ApplicationScoped
@Handles("customer_success.ExecuteRefundWorkflow")
public class ExecuteRefundWorkflow implements StepHandler {
  @Inject
  RefundStarter refunds;

  public ExecuteRefundWorkflow() {
  }

  public ExecuteRefundWorkflow(RefundStarter refunds) {
    this.refunds = refunds;
  }

  @Override
  public StepOutcome handle(StepContext step) {
    Fields approval = Fields.of("get_manager_approval", step.resultObject("get_manager_approval"));
    if (!approval.flag("approved", false)) {
      return StepOutcome.permanent("NotApproved", "the refund was not approved");
    }
    RefundStarter.StartedRefund started = refunds.start(paymentsContext(step), step.correlationId(),
        "refund-of-step-" + step.idempotencyToken());
    return StepOutcome.success(Json.createObjectBuilder()
        .add("delegated_to", "payments/process_refund")
        .add("refund_task_uuid", started.taskUuid().toString())
        .add("correlation_id", step.correlationId().toString())
        .add("was_already_started", started.isDuplicate())
        .build());
  }

  private static JsonObject paymentsContext(StepContext step) {
    Fields context = Fields.of("context", step.input());
    Fields request = Fields.of("validate_refund_request",
        step.resultObject("validate_refund_request"));
    String ticket = request.text("ticket_id");
    return Json.createObjectBuilder()
        .add("payment_id",
            context.optionalText("payment_id").orElseGet(() -> StableId.of("pay_", 16, ticket)))
        .add("refund_amount", request.number("refund_amount"))
        .add("refund_reason", paymentsReason(request.text("refund_reason")))
        .add("partial_refund", context.flag("partial_refund", false))
        .add("customer_email", request.text("customer_email"))
        .build();
  }

  /** The payments team accepts fewer reasons. */
  private static String paymentsReason(String reason) {
    return reason.equals("duplicate_charge") ? "system_error" : "customer_request";
  }
}
