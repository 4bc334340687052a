package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonNumber;

/**
 * Each attempt counts one further than the one before, by its checkpoint, and fails until it has
 * counted to three.
 */
@ApplicationScoped
@Handles("testing.Progress")
public class Progress implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    int counted = step.checkpoint().map(value -> ((JsonNumber) value).intValue()).orElse(0) + 1;
    step.checkpoint(Json.createValue(counted));
    return counted < 3
        ? StepOutcome.retryable("NotThereYet", "counted to " + counted)
        : StepOutcome.success(Json.createObjectBuilder().add("counted", counted)
            .add("attempt", step.attempt()).build());
  }
}
