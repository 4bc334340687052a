package ee.tasker.step;

import ee.tasker.platform.Json;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * A claimed step with the data that its handler needs. Reads the members of its document when they
 * are asked for: a new one needs a method here and nothing where claimed steps are made.
 *
 * @param document as the functions that claim steps answer it
 */
public record ClaimedStep(StepKey key, StepSpec definition, JsonObject document) {

  /** @param document as the functions that claim steps answer it */
  public static ClaimedStep of(JsonObject document, StepSpec definition) {
    return new ClaimedStep(key(document), definition, document);
  }

  /**
   * The name of the step in its task: its own if it was added to the task, otherwise that of the
   * template's step.
   */
  public String name() {
    return Json.text(document, "name").orElse(definition.name());
  }

  public int attempt() {
    return document.getInt("attempt");
  }

  public int maxAttempts() {
    return document.getInt("max_attempts");
  }

  /** The same for all attempts, until an operator wants the step's effect again. */
  public String idempotencyToken() {
    return document.getString("idempotency_token");
  }

  public UUID correlationId() {
    return Json.uuid(document, "correlation_id");
  }

  public Optional<UUID> parentCorrelationId() {
    return Json.optionalUuid(document, "parent_correlation_id");
  }

  /** The trace of the task's request, a W3C Trace Context {@code traceparent}. */
  public Optional<String> traceParent() {
    return Json.text(document, "trace_parent");
  }

  public boolean isCancelRequested() {
    return document.getBoolean("cancel_requested");
  }

  public JsonObject context() {
    return document.getJsonObject("context");
  }

  /**
   * Results of the direct parents by step name; those of indirect ancestors are fetched on demand.
   */
  public JsonObject results() {
    return Json.object(document, "results");
  }

  public JsonObject inputs() {
    return Json.object(document, "inputs");
  }

  public Optional<JsonValue> checkpoint() {
    return Optional.ofNullable(document.get("checkpoint")).filter(value -> value != JsonValue.NULL);
  }

  /** The same step with what handlers and operators gave it changed: what may be sealed. */
  ClaimedStep withDocuments(UnaryOperator<JsonValue> change) {
    JsonObjectBuilder changed = Json.build().createObjectBuilder(document);
    for (String member : List.of("context", "results", "inputs", "checkpoint")) {
      changed.add(member, change.apply(document.get(member)));
    }
    return new ClaimedStep(key, definition, changed.build());
  }

  /** The id of the trace that the task belongs to, for log lines; null when there is none. */
  public String traceId() {
    return traceParent().map(parent -> parent.substring(3, 35)).orElse(null);
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
}
