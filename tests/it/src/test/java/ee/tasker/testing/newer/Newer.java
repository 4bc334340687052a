package ee.tasker.testing.newer;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/** A handler that the older version does not have. */
@ApplicationScoped
@Handles("testing.Newer")
public class Newer implements StepHandler {
  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success();
  }
}
