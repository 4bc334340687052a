package ee.tasker.benchmark.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/** Waits {@code initialization.ms} milliseconds, like a handler that calls another service. */
@ApplicationScoped
@Handles("benchmark.Pause")
public class Pause implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) throws InterruptedException {
    Thread.sleep(step.config().getInt("ms"));
    return StepOutcome.success();
  }
}
