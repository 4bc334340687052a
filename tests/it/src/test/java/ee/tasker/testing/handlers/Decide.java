package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonString;

/**
 * Chooses the steps that the context's {@code choose} names; without it returns an ordinary
 * success.
 */
@ApplicationScoped
@Handles("testing.Decide")
public class Decide implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return step.input("choose").filter(JsonArray.class::isInstance).map(JsonArray.class::cast)
        .map(names -> StepOutcome.decide(Json.createObjectBuilder().add("asked", names).build(),
            names.getValuesAs(JsonString::getString)))
        .orElseGet(StepOutcome::success);
  }
}
