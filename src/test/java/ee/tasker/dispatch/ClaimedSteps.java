package ee.tasker.dispatch;

import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepSpec;
import ee.tasker.step.model.StepKey;
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
        method, resolver, JsonValue.EMPTY_JSON_OBJECT, schema, Optional.empty(), Set.of(),
        StepSpec.Sealing.NOTHING);
    return new ClaimedStep(new StepKey(UUID.randomUUID(), UUID.randomUUID(), 1), definition.name(),
        definition, 1, 3, "t", UUID.randomUUID(), Optional.empty(), Optional.empty(), false,
        JsonValue.EMPTY_JSON_OBJECT, JsonValue.EMPTY_JSON_OBJECT, JsonValue.EMPTY_JSON_OBJECT,
        Optional.empty());
  }
}
