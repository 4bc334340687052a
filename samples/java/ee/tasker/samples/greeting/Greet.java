package ee.tasker.samples.greeting;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;

@ApplicationScoped
@Handles("demo.Greet")
public class Greet implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    String name = step.input().getString("name");
    String word = step.config().getString("word", "Hello");
    return StepOutcome
        .success(Json.createObjectBuilder().add("greeting", word + ", " + name + "!").build());
  }
}
