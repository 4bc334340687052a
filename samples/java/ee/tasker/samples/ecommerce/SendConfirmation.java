package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/**
 * Notifies the customer. The message id is the same on every attempt, so that a mail server can
 * drop a duplicate.
 */
@ApplicationScoped
@Handles("ecommerce.SendConfirmation")
public class SendConfirmation implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields order = Fields.of("create_order", step.resultObject("create_order"));
    Fields cart = Fields.of("validate_cart", step.resultObject("validate_cart"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("message_id", StableId.of("msg_", 16, step.taskUuid()))
        .add("recipient", cart.text("customer_email"))
        .add("subject", "Your order " + order.text("order_id"))
        .add("total", order.number("total"))
        .add("status", "sent")
        .build());
  }
}
