package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;

/** The payloads of the signals that its task has received so far. */
@ApplicationScoped
@Handles("testing.Heard")
public class Heard implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    JsonArrayBuilder payloads = Json.createArrayBuilder();
    step.signals().forEach(signal -> payloads.add(signal.get("payload")));
    return StepOutcome.success(payloads.build());
  }
}
