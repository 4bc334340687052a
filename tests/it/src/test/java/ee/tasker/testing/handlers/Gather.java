package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;

/** Everything it can see, as its result. */
@ApplicationScoped
@Handles("testing.Gather")
public class Gather implements StepHandler {

  @Override
  public StepOutcome handle(StepContext step) {
    JsonObjectBuilder results = Json.createObjectBuilder();
    step.dependencyNames().stream().sorted()
        .forEach(name -> step.result(name).ifPresent(result -> results.add(name, result)));
    return StepOutcome.success(Json.createObjectBuilder()
        .add("step", step.stepName())
        .add("template", step.namespace() + "/" + step.taskName() + ":" + step.taskVersion())
        .add("config", step.config())
        .add("input", step.input())
        .add("ancestors",
            Json.createArrayBuilder(step.dependencyNames().stream().sorted().toList()))
        .add("results", results)
        .add("sees_a_stranger", step.result("a_stranger").isPresent())
        .add("attempt", step.attempt())
        .add("max_attempts", step.maxAttempts())
        .add("token", step.idempotencyToken())
        .add("correlation_id", step.correlationId().toString())
        .build());
  }
}
