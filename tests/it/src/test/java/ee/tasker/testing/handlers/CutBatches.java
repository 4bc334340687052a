package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArray;

/**
 * Makes a batch of each element of the context's {@code cursors}; without it returns an ordinary
 * success.
 */
@ApplicationScoped
@Handles("testing.CutBatches")
public class CutBatches implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    return step.input("cursors").filter(JsonArray.class::isInstance).map(JsonArray.class::cast)
        .map(cursors -> StepOutcome
            .batches(Json.createObjectBuilder().add("batches", cursors.size()).build(), cursors))
        .orElseGet(StepOutcome::success);
  }
}
