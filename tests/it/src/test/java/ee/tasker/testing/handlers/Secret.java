package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

/**
 * Brings texts that can be told apart wherever they turn up: a result, or a checkpoint and an
 * error, as its configuration says. Repeats nothing of its input.
 */
@ApplicationScoped
@Handles("testing.Secret")
public class Secret implements StepHandler {
  public static final String RESULT = "marked-text-of-the-result";
  public static final String ERROR = "marked-text-of-the-error";
  public static final String CHECKPOINT = "marked-text-of-the-checkpoint";

  @Override
  public StepOutcome handle(StepContext step) {
    if (step.config().containsKey("fails")) {
      step.checkpoint(Json.createValue(CHECKPOINT));
      return StepOutcome.permanent("Refused", ERROR);
    }
    return StepOutcome.success(Json.createObjectBuilder().add("text", RESULT).build());
  }
}
