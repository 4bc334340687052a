package ee.tasker.samples.ecommerce;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.math.BigDecimal;

/**
 * Charges the total. A declined card is a permanent failure, a problem of the gateway is retryable;
 * test tokens select an
 * outcome, any other token is approved.
 */
@ApplicationScoped
@Handles("ecommerce.ProcessPayment")
public class ProcessPayment implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    BigDecimal total = Fields.of("validate_cart", step.resultObject("validate_cart"))
        .number("total");
    String token = Fields.of("context", step.input()).optionalText("payment_token")
        .orElse("tok_test_approved");
    return switch (token) {
      case "tok_test_declined" -> StepOutcome.permanent("PaymentDeclined", "the card was declined");
      case "tok_test_insufficient_funds" ->
        StepOutcome.permanent("InsufficientFunds", "the card does not cover " + total);
      case "tok_test_gateway_error" ->
        StepOutcome.retryable("GatewayError", "the payment gateway failed");
      case "tok_test_timeout" ->
        StepOutcome.retryable("GatewayTimeout", "the payment gateway did not answer");
      default -> approved(step, total);
    };
  }

  private static StepOutcome approved(StepContext step, BigDecimal total) {
    return StepOutcome.success(Json.createObjectBuilder()
        .add("transaction_id", StableId.of("txn_", 16, step.taskUuid()))
        .add("payment_id", StableId.of("pay_", 16, step.taskUuid()))
        .add("authorization_code", StableId.of("", 12, "authorization", step.taskUuid()))
        .add("status", "approved")
        .add("amount", total)
        .build());
  }
}
