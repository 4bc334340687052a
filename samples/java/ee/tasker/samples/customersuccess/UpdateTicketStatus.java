package ee.tasker.samples.customersuccess;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Closes the ticket and records the refund's task in it. */
@ApplicationScoped
@Handles("customer_success.UpdateTicketStatus")
public class UpdateTicketStatus implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields request = Fields.of("validate_refund_request",
        step.resultObject("validate_refund_request"));
    Fields refund = Fields.of("execute_refund_workflow",
        step.resultObject("execute_refund_workflow"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("ticket_id", request.text("ticket_id"))
        .add("new_status", "resolved")
        .add("refund_amount", request.number("refund_amount"))
        .add("refund_task_uuid", refund.text("refund_task_uuid"))
        .add("correlation_id", refund.text("correlation_id"))
        .build());
  }
}
