package ee.tasker.samples.approvals;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import java.math.BigDecimal;

/** What is left of the department's budget after the purchase. */
@ApplicationScoped
@Handles("approvals.CheckBudget")
public class CheckBudget implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    BigDecimal left = Fields.of("initialization", step.config()).number("budget")
        .subtract(Fields.of("context", step.input()).number("amount"));
    return StepOutcome.success(Json.createObjectBuilder().add("left", left)
        .add("is_within_budget", left.signum() >= 0).build());
  }
}
