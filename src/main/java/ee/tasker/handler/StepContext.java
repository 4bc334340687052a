package ee.tasker.handler;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What a handler can read about the step it runs. One instance per attempt; thread-safe. Values are
 * as of the claim, except
 * {@link #isCancelRequested()}, which the server's heartbeat updates from the database.
 */
public interface StepContext {

  UUID taskUuid();

  UUID stepUuid();

  /**
   * The step's name in its task: its own if it was added to the task, otherwise the one in the
   * template.
   */
  String stepName();

  String namespace();

  String taskName();

  String taskVersion();

  UUID correlationId();

  Optional<UUID> parentCorrelationId();

  /**
   * The trace context of the task's request, as a W3C {@code traceparent} header, to be sent on
   * with the handler's own
   * calls. If the server creates spans, it is the span context of this attempt and never empty.
   */
  default Optional<String> traceParent() {
    return Optional.empty();
  }

  /** Counted from 1. */
  int attempt();

  /**
   * The maximum number of attempts, including the first; the first is allowed even when this is 0.
   */
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

  /**
   * Names of the ancestors that the template names, and of direct parents that were added to the
   * task. An ancestor that no decision
   * created has no result.
   */
  Set<String> dependencyNames();

  /**
   * The result of a direct or indirect ancestor; empty when the step has no such ancestor or the
   * ancestor has no result.
   */
  Optional<JsonValue> result(String stepName);

  /** The result of an ancestor as an object. */
  default JsonObject resultObject(String stepName) {
    return result(stepName)
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .orElseThrow(() -> new PermanentStepException("MissingDependencyResult",
            "step " + stepName() + " needs an object as the result of " + stepName
                + ", but there is none"));
  }

  /**
   * What became of the batches of a batch step that this step follows from, in their order,
   * whatever their number: read by page while they are iterated. The
   * {@code results} of the batch step's own result are there only when they are few and small.
   * Outside of a server, those of that result.
   *
   * @param stepName the name of the step of type {@code batch_worker}
   * @throws PermanentStepException when the step has no such ancestor, at once or when the next
   *   page is read
   */
  default Iterable<BatchResult> batchResults(String stepName) {
    JsonObject result = resultObject(stepName);
    if (!result.containsKey("results")) {
      throw new PermanentStepException("MissingBatch",
          "the result of " + stepName + " has no results of batches");
    }
    return result.getJsonArray("results").getValuesAs(BatchResult::of);
  }

  /** What an earlier attempt saved with {@link #checkpoint(JsonValue)}. */
  Optional<JsonValue> checkpoint();

  /**
   * Saves progress in its own transaction, so that a later attempt can resume from it.
   *
   * @throws StaleAttemptException when the step has been given to another attempt: stop, the result
   *   will be refused
   */
  void checkpoint(JsonValue progress);

  /**
   * The signals that the task has received so far, in the order of their arrival, also those that
   * no step has taken yet: objects with {@code number}, {@code name}, {@code
   * signal_id}, {@code sent_at}, {@code sent_by}, {@code payload}, and {@code consumed_at} and
   * {@code consumed_by}, the name of the step, or null. Read from the
   * database at each call. To read a signal does not take it.
   */
  default List<JsonObject> signals() {
    return List.of();
  }

  /**
   * Renews this step's lease now. The server renews leases itself; a handler needs this only before
   * a very long pause.
   */
  void heartbeat();

  /**
   * To be given to other systems, so that they do once what all attempts of this step ask for, such
   * as a payment. It stays the same over attempts, yields, the loss of a server, and a restore of
   * the database from a backup in which the step is; a task that is submitted again because the
   * backup is older has other steps. It changes only when an operator wants the effect again: with
   * {@code rerun_completed} for a step that was done, or with {@code new_idempotency_token} for one
   * that had failed. At most 64 letters, digits, hyphens and colons.
   */
  default String idempotencyToken() {
    return stepUuid().toString();
  }

  /**
   * The same over the yields of this attempt, and different for every other attempt: for effects
   * that each attempt must have anew.
   */
  default String attemptToken() {
    return stepUuid() + ":" + attempt();
  }

  /**
   * Whether cancellation of the task was requested. A long-running handler checks this regularly
   * and returns {@link
   * StepOutcome#cancelled(String) cancelled}.
   */
  boolean isCancelRequested();

  private static Optional<JsonValue> present(JsonValue value) {
    return value == null || value.getValueType() == JsonValue.ValueType.NULL ? Optional.empty()
        : Optional.of(value);
  }
}
