package ee.tasker.samples.payments;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.Money;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Set;

/**
 * Whether this payment may be refunded to this customer. The fraud score is a reproducible
 * placeholder: the first byte of
 * the MD5 of {@code payment_id:customer_email}, scaled from 0..255 to 0..100; above 85 the refund
 * is refused permanently.
 */
@ApplicationScoped
@Handles("payments.ValidatePaymentEligibility")
public class ValidatePaymentEligibility implements StepHandler {
  private static final Set<String> REASONS = Set.of("customer_request", "fraud", "system_error",
      "chargeback");
  private static final BigDecimal HIGHEST_SCORE = new BigDecimal("85");

  @Override
  public StepOutcome handle(StepContext step) {
    Fields context = Fields.of("context", step.input());
    String paymentId = context.text("payment_id");
    if (!paymentId.matches("pay_[a-zA-Z0-9_]+")) {
      throw context.wrong("payment_id",
          "must be pay_ and letters, digits or underscores, but is " + paymentId);
    }
    BigDecimal amount = Money.cents(context.number("refund_amount"));
    if (amount.signum() <= 0) {
      throw context.wrong("refund_amount", "must be more than 0, but is " + amount);
    }
    String reason = context.text("refund_reason");
    if (!REASONS.contains(reason)) {
      throw context.wrong("refund_reason", "must be one of " + REASONS + ", but is " + reason);
    }
    String email = context.text("customer_email").toLowerCase(Locale.ROOT);
    BigDecimal score = fraudScore(paymentId, email);
    if (score.compareTo(HIGHEST_SCORE) > 0) {
      return StepOutcome.permanent("FraudSuspected",
          "fraud score " + score + " is above " + HIGHEST_SCORE);
    }
    return StepOutcome.success(Json.createObjectBuilder()
        .add("payment_id", paymentId)
        .add("refund_amount", amount)
        .add("refund_reason", reason)
        .add("partial_refund", context.flag("partial_refund", false))
        .add("customer_email", email)
        .add("fraud_score", score)
        .add("eligible", true)
        .build());
  }

  /** 0.00 to 100.00. */
  public static BigDecimal fraudScore(String paymentId, String email) {
    int firstByte = Integer.parseInt(StableId.hex("MD5", paymentId + ":" + email).substring(0, 2),
        16);
    return BigDecimal.valueOf(firstByte * 100L).divide(BigDecimal.valueOf(255), 2,
        RoundingMode.HALF_UP);
  }
}
