package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonNumber;

/**
 * The handler of a loop of the kill matrix: yields after each of three parts, with the next one as
 * its checkpoint, and then has its one effect.
 */
@ApplicationScoped
@Handles("testing.Loop")
public class Loop extends Effect {
  private static final int PARTS = 3;

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    int part = step.checkpoint().map(value -> ((JsonNumber) value).intValue()).orElse(0);
    return part < PARTS ? StepOutcome.yield(Json.createValue(part + 1)) : super.handle(step);
  }
}
