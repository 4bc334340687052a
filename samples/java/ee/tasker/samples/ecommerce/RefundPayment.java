package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Compensates {@link ProcessPayment}: gives back what its result says was charged. */
@ApplicationScoped
@Handles("ecommerce.RefundPayment")
public class RefundPayment implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields payment = Fields.of("result", step.stepInputs().getJsonObject("result"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("refund_id", StableId.of("ref_", 16, step.taskUuid()))
        .add("payment_id", payment.text("payment_id"))
        .add("amount", payment.number("amount"))
        .build());
  }
}
