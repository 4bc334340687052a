package ee.tasker.samples.customersuccess;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.math.BigDecimal;
import java.util.Set;

/**
 * Routes the request: small amounts, and our own mistakes up to 500, are approved automatically;
 * above 500 a manager
 * reviews; the rest gets a standard review.
 */
@ApplicationScoped
@Handles("customer_success.CheckRefundPolicy")
public class CheckRefundPolicy implements StepHandler {
  private static final BigDecimal SMALL = new BigDecimal("50");
  private static final BigDecimal LARGE = new BigDecimal("500");
  private static final Set<String> OUR_MISTAKES = Set.of("defective_product", "wrong_item",
      "duplicate_charge");
  private static final int REFUND_WINDOW_DAYS = 90;

  @Override
  public StepOutcome handle(StepContext step) {
    Fields request = Fields.of("validate_refund_request",
        step.resultObject("validate_refund_request"));
    String path = path(request.number("refund_amount"), request.text("refund_reason"));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("policy_compliant", true)
        .add("approval_path", path)
        .add("requires_approval", !path.equals("auto_approved"))
        .add("refund_window_days", REFUND_WINDOW_DAYS)
        .add("customer_tier", request.text("customer_tier"))
        .build());
  }

  private static String path(BigDecimal amount, String reason) {
    if (amount.compareTo(SMALL) <= 0
        || (OUR_MISTAKES.contains(reason) && amount.compareTo(LARGE) <= 0)) {
      return "auto_approved";
    }
    return amount.compareTo(LARGE) > 0 ? "manager_review" : "standard_review";
  }
}
