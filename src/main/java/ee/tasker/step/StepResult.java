package ee.tasker.step;

import ee.tasker.engine.model.Outcome;
import ee.tasker.platform.Json;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;

/**
 * What a worker submits for one handoff.
 *
 * @param result  the result or partial result; JSON null when there is none
 * @param error   {@code {type, message, delay_ms?, ...}}; JSON null for a success
 */
public record StepResult(StepKey key, Outcome outcome, JsonValue result, JsonValue error, Duration executionTime) {

  JsonObject toJson() {
    JsonObjectBuilder json = Json.build().createObjectBuilder()
        .add("step_uuid", key.stepUuid().toString())
        .add("task_uuid", key.taskUuid().toString())
        .add("handoff", key.handoff())
        .add("outcome", outcome.word())
        .add("execution_time_ms", executionTime.toMillis());
    if (result != JsonValue.NULL) {
      json.add("result", result);
    }
    if (error != JsonValue.NULL) {
      json.add("error", error);
    }
    return json.build();
  }
}
