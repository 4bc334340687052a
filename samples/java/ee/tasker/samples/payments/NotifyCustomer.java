package ee.tasker.samples.payments;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Informs the customer that the refund is on its way. */
@ApplicationScoped
@Handles("payments.NotifyCustomer")
public class NotifyCustomer implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields eligible = Fields.of("validate_payment_eligibility",
        step.resultObject("validate_payment_eligibility"));
    Fields refund = Fields.of("process_gateway_refund",
        step.resultObject("process_gateway_refund"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("message_id", StableId.of("msg_", 12, refund.text("refund_id")))
        .add("recipient", eligible.text("customer_email"))
        .add("refund_amount", refund.number("refund_amount"))
        .add("notification_sent", true)
        .build());
  }
}
