package ee.tasker.benchmark.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;

/** Succeeds at once with an empty result. */
@ApplicationScoped
@Handles("benchmark.NoOp")
public class NoOp implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success();
  }
}
