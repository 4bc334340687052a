package ee.tasker.samples.payments;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import ee.tasker.samples.StableId;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;
import java.math.BigDecimal;

/** Books the refund: two ledger lines of the same amount, so that the books stay balanced. */
@ApplicationScoped
@Handles("payments.UpdatePaymentRecords")
public class UpdatePaymentRecords implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    Fields refund = Fields.of("process_gateway_refund",
        step.resultObject("process_gateway_refund"));
    Fields eligible = Fields.of("validate_payment_eligibility",
        step.resultObject("validate_payment_eligibility"));
    String refundId = refund.text("refund_id");
    BigDecimal amount = refund.number("refund_amount");
    return StepOutcome.success(Json.createObjectBuilder()
        .add("record_id", StableId.of("rec_", 12, refundId))
        .add("payment_status",
            eligible.flag("partial_refund", false) ? "partially_refunded" : "refunded")
        .add("ledger_entries", Json.createArrayBuilder()
            .add(entry("debit", "refunds_payable", amount, refundId))
            .add(entry("credit", "accounts_receivable", amount, refundId)))
        .build());
  }

  private static JsonObjectBuilder entry(String side, String account, BigDecimal amount,
      String refundId) {
    return Json.createObjectBuilder()
        .add("entry_id", StableId.of("led_", 12, refundId, side))
        .add("entry_type", side)
        .add("account", account)
        .add("amount", amount);
  }
}
