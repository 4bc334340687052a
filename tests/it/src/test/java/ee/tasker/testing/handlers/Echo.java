package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/** Returns the context; has methods that a template may name, and one that it may not. */
@ApplicationScoped
@Handles({"testing.Echo", "testing.SecondName"})
public class Echo implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return StepOutcome.success(step.input());
  }

  public StepOutcome shout(StepContext step) {
    return StepOutcome
        .success(Json.createValue(step.input().toString().toUpperCase(java.util.Locale.ROOT)));
  }

  /** Returns no outcome, so it is no handler's method. */
  public String whisper(StepContext step) {
    return step.stepName();
  }
}
