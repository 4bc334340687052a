package ee.tasker.samples.customersuccess;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.Money;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Set;

/** Validates the ticket's request and looks up the customer's tier. */
@ApplicationScoped
@Handles("customer_success.ValidateRefundRequest")
public class ValidateRefundRequest implements StepHandler {
  private static final BigDecimal HIGHEST_AMOUNT = new BigDecimal("10000");
  private static final Set<String> REASONS = Set.of(
      "customer_request", "defective_product", "wrong_item", "late_delivery", "duplicate_charge",
      "service_issue");

  @Override
  public StepOutcome handle(StepContext step) {
    Fields context = Fields.of("context", step.input());
    BigDecimal amount = Money.cents(context.number("refund_amount"));
    if (amount.signum() <= 0) {
      throw context.wrong("refund_amount", "must be more than 0, but is " + amount);
    }
    if (amount.compareTo(HIGHEST_AMOUNT) > 0) {
      throw context.wrong("refund_amount",
          "must not be more than " + HIGHEST_AMOUNT + ", but is " + amount);
    }
    String reason = context.optionalText("refund_reason").orElse("customer_request");
    if (!REASONS.contains(reason)) {
      throw context.wrong("refund_reason", "must be one of " + REASONS + ", but is " + reason);
    }
    String customer = context.text("customer_id");
    return StepOutcome.success(Json.createObjectBuilder()
        .add("ticket_id", context.text("ticket_id"))
        .add("customer_id", customer)
        .add("customer_email", context.text("customer_email"))
        .add("customer_tier", tier(customer))
        .add("refund_amount", amount)
        .add("refund_reason", reason)
        .build());
  }

  private static String tier(String customer) {
    String id = customer.toLowerCase(Locale.ROOT);
    if (id.contains("vip") || id.contains("premium")) {
      return "premium";
    }
    return id.contains("gold") ? "gold" : "standard";
  }
}
