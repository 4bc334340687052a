package ee.tasker.testing.twins;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/** Has the name of {@link Second}. */
@ApplicationScoped
@Handles("testing.Twin")
public class First implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success();
  }
}
