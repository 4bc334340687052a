package ee.tasker.benchmark.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/** Succeeds at once, and returns the task's context: results as large as the context. */
@ApplicationScoped
@Handles("benchmark.Echo")
public class Echo implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success(step.input());
  }
}
