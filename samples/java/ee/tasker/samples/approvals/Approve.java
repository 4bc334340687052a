package ee.tasker.samples.approvals;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.samples.Fields;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** One approval, by the role that the template names. */
@ApplicationScoped
@Handles("approvals.Approve")
public class Approve implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success(Json.createObjectBuilder()
        .add("approved_by", Fields.of("initialization", step.config()).text("role"))
        .add("amount", Fields.of("context", step.input()).number("amount"))
        .build());
  }
}
