package ee.tasker.step;

import ee.tasker.platform.Json;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.UUID;

/**
 * A claimed step with the data that its handler needs.
 *
 * @param name the name of the step in its task: its own if it was added to the task, otherwise that
 *   of the template's step
 * @param idempotencyToken the same for all attempts, until an operator wants the step's effect
 *   again
 * @param traceParent the trace of the task's request, a W3C Trace Context {@code traceparent}
 * @param results results of the direct parents by step name; those of indirect ancestors are
 *   fetched on demand
 */
public record ClaimedStep(
    StepKey key, String name, StepSpec definition, int attempt, int maxAttempts,
    String idempotencyToken, UUID correlationId, Optional<UUID> parentCorrelationId,
    Optional<String> traceParent, boolean isCancelRequested, JsonObject context, JsonObject results,
    JsonObject inputs, Optional<JsonValue> checkpoint) {

  /** The id of the trace that the task belongs to, for log lines; null when there is none. */
  public String traceId() {
    return traceParent.map(parent -> parent.substring(3, 35)).orElse(null);
  }

  /**
   * The step of the template that a document of a claimed step, or of a step of a template, is
   * about.
   */
  public static UUID templateStepUuid(JsonObject document) {
    return Json.uuid(document, "template_step_uuid");
  }

  static UUID stepUuid(JsonObject document) {
    return Json.uuid(document, "step_uuid");
  }

  /** Whether the reply was too long for the documents of this step, which is to be given back. */
  public static boolean isLeftOut(JsonObject document) {
    return document.getBoolean("left_out", false);
  }

  public static StepKey key(JsonObject document) {
    return new StepKey(Json.uuid(document, "task_uuid"), stepUuid(document),
        document.getInt("handoff"));
  }

  /** @param document as the functions that claim steps answer it */
  public static ClaimedStep of(JsonObject document, StepSpec definition) {
    return new ClaimedStep(
        key(document),
        Json.text(document, "name").orElse(definition.name()),
        definition,
        document.getInt("attempt"),
        document.getInt("max_attempts"),
        document.getString("idempotency_token"),
        Json.uuid(document, "correlation_id"), Json.optionalUuid(document, "parent_correlation_id"),
        Json.text(document, "trace_parent"),
        document.getBoolean("cancel_requested"), document.getJsonObject("context"),
        Json.object(document, "results"), Json.object(document, "inputs"),
        Optional.ofNullable(document.get("checkpoint")).filter(value -> value != JsonValue.NULL));
  }
}
