package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/** Returns its cursor, or its items; a cursor {@code "fail"} is a permanent failure. */
@ApplicationScoped
@Handles("testing.WorkOffBatch")
public class WorkOffBatch implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    var inputs = step.stepInputs();
    var work = inputs.containsKey("cursor") ? inputs.get("cursor") : inputs.get("items");
    return work.toString().equals("\"fail\"")
        ? StepOutcome.permanent("Asked", "the cursor asks for it") : StepOutcome.success(work);
  }
}
