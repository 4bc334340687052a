package ee.tasker.handler;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What a handler knows about the step it runs. One per attempt; safe to use from several threads. Values are as they
 * were at the claim, except {@link #isCancelRequested()}, which follows the database through the server's heartbeat.
 */
public interface StepContext {

  UUID taskUuid();

  UUID stepUuid();

  /** The step's name in its template. */
  String stepName();

  String namespace();

  String taskName();

  String taskVersion();

  UUID correlationId();

  Optional<UUID> parentCorrelationId();

  /**
   * The trace that the task was asked for in, as W3C Trace Context has it in the header {@code traceparent}: to be sent on with what the handler calls.
   * Where the server makes spans, it is this attempt's place in that trace, and never empty.
   */
  default Optional<String> traceParent() {
    return Optional.empty();
  }

  /** Counted from 1. */
  int attempt();

  /** All attempts together, the first included; the first is allowed even when this is 0. */
  int maxAttempts();

  default boolean isRetry() {
    return attempt() > 1;
  }

  /** Whether a retryable failure of this attempt would be final. */
  default boolean isLastAttempt() {
    return attempt() >= maxAttempts();
  }

  /** The task's context as submitted. */
  JsonObject input();

  /** One key of {@link #input()}; empty when absent or JSON null. */
  default Optional<JsonValue> input(String key) {
    return present(input().get(key));
  }

  /** The step's own inputs (batch cursor and the like); empty for a plain step. */
  JsonObject stepInputs();

  /** {@code handler.initialization} of the template. */
  JsonObject config();

  default Optional<JsonValue> config(String key) {
    return present(config().get(key));
  }

  /** Names of all ancestors whose result can be read. */
  Set<String> dependencyNames();

  /** The result of an ancestor, at any distance; empty when there is no such ancestor or it has none. */
  Optional<JsonValue> result(String stepName);

  /** The result of an ancestor as an object. */
  default JsonObject resultObject(String stepName) {
    return result(stepName)
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .orElseThrow(() -> new PermanentStepException("MissingDependencyResult",
            "step " + stepName() + " needs an object as the result of " + stepName + ", but there is none"));
  }

  /** What an earlier attempt saved with {@link #checkpoint(JsonValue)}. */
  Optional<JsonValue> checkpoint();

  /**
   * Saves progress in a transaction of its own, so that a later attempt can resume from it.
   *
   * @throws StaleAttemptException when the step was handed to another attempt meanwhile: stop, the result will be refused
   */
  void checkpoint(JsonValue progress);

  /** Renews this step's lease now. The server does so by itself; a handler needs it only before a very long pause. */
  void heartbeat();

  /** Same for every call about this attempt and different for any other: step uuid and attempt. */
  default String idempotencyToken() {
    return stepUuid() + ":" + attempt();
  }

  /** Whether somebody asked to cancel the task; a handler that runs long looks now and then and returns cancelled. */
  boolean isCancelRequested();

  private static Optional<JsonValue> present(JsonValue value) {
    return value == null || value.getValueType() == JsonValue.ValueType.NULL ? Optional.empty() : Optional.of(value);
  }
}
