package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonValue;
import java.util.List;

/** The same for a decision: by its task's number it chooses the step {@code deep}, or none. */
@ApplicationScoped
@Handles("testing.Route")
public class Route extends Effect {

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    StepOutcome outcome = super.handle(step);
    return outcome instanceof StepOutcome.Success
        ? StepOutcome.decide(JsonValue.EMPTY_JSON_OBJECT,
            step.input().getInt("number") % 24 < 12 ? List.of("deep") : List.of())
        : outcome;
  }
}
