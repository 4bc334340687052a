package ee.tasker.step;

import ee.tasker.platform.Json;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.UUID;

/**
 * A claimed step, with what its handler will see.
 *
 * @param traceParent the trace that the task was asked for in, as W3C Trace Context has it
 * @param results results of the direct parents by step name; those of farther ancestors are fetched when asked for
 */
public record ClaimedStep(
    StepKey key, StepSpec definition, int attempt, int maxAttempts, UUID correlationId, Optional<UUID> parentCorrelationId,
    Optional<String> traceParent,
    boolean isCancelRequested, JsonObject context, JsonObject results, JsonObject inputs, Optional<JsonValue> checkpoint) {

  /** The id of the trace that the task belongs to, as log lines have it; null when there is none. */
  public String traceId() {
    return traceParent.map(parent -> parent.substring(3, 35)).orElse(null);
  }

  static ClaimedStep of(JsonObject document, StepSpec definition) {
    return new ClaimedStep(
        new StepKey(Json.uuid(document, "task_uuid"), Json.uuid(document, "step_uuid"), document.getInt("handoff")),
        definition,
        document.getInt("attempt"),
        document.getInt("max_attempts"),
        Json.uuid(document, "correlation_id"), Json.optionalUuid(document, "parent_correlation_id"),
        Json.text(document, "trace_parent"),
        document.getBoolean("cancel_requested"), document.getJsonObject("context"), Json.object(document, "results"),
        Json.object(document, "inputs"),
        Optional.ofNullable(document.get("checkpoint")).filter(value -> value != JsonValue.NULL));
  }
}
