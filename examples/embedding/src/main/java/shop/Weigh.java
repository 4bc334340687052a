package shop;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

@ApplicationScoped
@Handles("shop.Weigh")
public class Weigh implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    int grams = step.input().getInt("quantity") * step.config().getInt("grams_each");
    return StepOutcome.success(Json.createObjectBuilder().add("grams", grams).build());
  }
}
