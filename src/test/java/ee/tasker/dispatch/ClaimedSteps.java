package ee.tasker.dispatch;

import ee.tasker.platform.Json;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSpec;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Claimed steps for tests that need one and care about little of it. */
public final class ClaimedSteps {

  private ClaimedSteps() {
  }

  public static ClaimedStep any() {
    return of("test.Handler", "call", Optional.empty(), Optional.empty());
  }

  public static ClaimedStep promising(String resultSchema) {
    return of("test.Handler", "call", Optional.empty(),
        Optional.of(ContextSchema.compile(resultSchema)));
  }

  public static ClaimedStep of(String callable, String method, Optional<String> resolver,
      Optional<ContextSchema> schema) {
    StepSpec definition = new StepSpec(UUID.randomUUID(), "n", "t", "1.0.0", "a_step", callable,
        method, resolver, JsonValue.EMPTY_JSON_OBJECT, JsonValue.EMPTY_JSON_OBJECT, schema,
        Optional.empty(), Set.of(),
        StepSpec.Sealing.NOTHING);
    return ClaimedStep.of(Json.parseObject("""
        {"step_uuid": "%s", "task_uuid": "%s", "template_step_uuid": "%s", "name": null,
         "handoff": 1, "attempt": 1, "max_attempts": 3, "idempotency_token": "t",
         "correlation_id": "%s", "parent_correlation_id": null, "trace_parent": null,
         "cancel_requested": false, "context": {}, "results": null, "inputs": null,
         "checkpoint": null}""".formatted(UUID.randomUUID(), UUID.randomUUID(),
        definition.namedStepUuid(), UUID.randomUUID())), definition);
  }
}
