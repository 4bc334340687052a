package ee.tasker.samples.payments;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/**
 * Asks the gateway for the refund. One task has one refund id, so the gateway treats a repeated
 * attempt as the same refund.
 */
@ApplicationScoped
@Handles("payments.ProcessGatewayRefund")
public class ProcessGatewayRefund implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields eligible = Fields.of("validate_payment_eligibility",
        step.resultObject("validate_payment_eligibility"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("refund_id", StableId.of("rfnd_", 16, step.taskUuid()))
        .add("payment_id", eligible.text("payment_id"))
        .add("refund_amount", eligible.number("refund_amount"))
        .add("status", "processed")
        .build());
  }
}
