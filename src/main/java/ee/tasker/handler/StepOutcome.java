package ee.tasker.handler;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The outcome that a handler reports for its step. Immutable. */
public sealed interface StepOutcome {

  /** Ten years: the longest time that a step waits for a retry, or after a yield. */
  Duration LONGEST_DELAY = Duration.ofDays(3_650);

  /** The work is done; {@code result} is what successors see under the step's name. */
  record Success(JsonValue result) implements StepOutcome {
    public Success {
      Objects.requireNonNull(result, "result: use JsonValue.NULL when there is none");
    }
  }

  /**
   * The work of a decision is done; the engine creates the steps that it names, and what follows
   * from them, in the
   * transaction that records this outcome. Required from a step of {@code type: decision}, and
   * refused from any other.
   *
   * @param result what successors see under the step's name
   * @param steps  names of steps of the template downstream of this one, each once; empty for none
   */
  record Decision(JsonValue result, List<String> steps) implements StepOutcome {
    public Decision {
      Objects.requireNonNull(result, "result: use JsonValue.NULL when there is none");
      steps = List.copyOf(steps);
    }
  }

  /**
   * The work of a batchable step is done; the engine creates one worker for each cursor, as many at
   * once as the parallelism of
   * the batch allows, the first of them in the transaction that records this outcome. Required from
   * a step of {@code type: batchable},
   * and refused from any other.
   *
   * @param result  what successors see under the step's name
   * @param cursors what each worker gets as {@code cursor} in its inputs, for instance {@code
   *   {"start": 1, "end": 200}}: any JSON of at most
   *                16 KiB; empty for no batches
   */
  record Batches(JsonValue result, List<JsonValue> cursors) implements StepOutcome {
    public Batches {
      Objects.requireNonNull(result, "result: use JsonValue.NULL when there is none");
      cursors = List.copyOf(cursors);
    }
  }

  /**
   * The step failed and may succeed later. It is retried while attempts remain; otherwise it moves
   * to {@code error}.
   *
   * @param errorType a short stable word for statistics, for instance {@code GatewayTimeout}
   * @param delay     how long the called service asked us to wait, up to {@link #LONGEST_DELAY};
   *   takes precedence over the template's backoff
   */
  record RetryableFailure(String errorType, String message,
      Optional<Duration> delay) implements StepOutcome {
    public RetryableFailure {
      requireText(errorType, "errorType");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(delay, "delay: use Optional.empty()");
      delay.ifPresent(given -> Delays.checked("delay", given));
    }
  }

  /** The step failed and would fail again: it moves to {@code error} at once. */
  record PermanentFailure(String errorType, String message,
      JsonObject details) implements StepOutcome {
    public PermanentFailure {
      requireText(errorType, "errorType");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(details,
          "details: use JsonValue.EMPTY_JSON_OBJECT when there are none");
    }
  }

  /**
   * The handler saw a cancel request and stopped; {@code partialResult} is stored with the step.
   */
  record Cancelled(String reason, JsonValue partialResult) implements StepOutcome {
    public Cancelled {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(partialResult, "partialResult: use JsonValue.NULL when there is none");
    }
  }

  /**
   * The step is not done, and goes on later: the checkpoint is stored, the worker's permit, the
   * lease and concurrency slots are given up, and after
   * the wait a worker calls the handler again, with {@link StepContext#checkpoint()}. Uses no
   * attempt: {@link StepContext#attempt()} stays.
   * For loops over many rows, and for polling another system. A transactional handler commits what
   * it has written.
   *
   * @param checkpoint at most 64 KiB; empty to keep the latest one
   * @param after      at least how long the step waits, up to {@link #LONGEST_DELAY}. If it is
   *   shorter than a second and the checkpoint stays the same, the step has made no
   *                   progress: it waits longer each time, and fails at the 20th in a row
   */
  record Yield(Optional<JsonValue> checkpoint, Duration after) implements StepOutcome {
    public Yield {
      Objects.requireNonNull(checkpoint, "checkpoint: use Optional.empty() to keep the latest one");
      Objects.requireNonNull(after, "after: use Duration.ZERO to go on as soon as possible");
      Delays.checked("after", after);
    }
  }

  static StepOutcome success() {
    return new Success(JsonValue.EMPTY_JSON_OBJECT);
  }

  static StepOutcome success(JsonValue result) {
    return new Success(result);
  }

  /** @param steps the names of the steps to create; none when empty */
  static StepOutcome decide(JsonValue result, String... steps) {
    return new Decision(result, List.of(steps));
  }

  /** @param steps the names of the steps to create; none when empty */
  static StepOutcome decide(JsonValue result, Collection<String> steps) {
    return new Decision(result, List.copyOf(steps));
  }

  /** @param cursors one for each batch; no batches when empty */
  static StepOutcome batches(JsonValue result, JsonValue... cursors) {
    return new Batches(result, List.of(cursors));
  }

  /** @param cursors one for each batch; no batches when empty */
  static StepOutcome batches(JsonValue result, Collection<? extends JsonValue> cursors) {
    return new Batches(result, List.copyOf(cursors));
  }

  /** Goes on from this checkpoint as soon as possible, on any worker. */
  static StepOutcome yield(JsonValue checkpoint) {
    return new Yield(Optional.of(checkpoint), Duration.ZERO);
  }

  /** Goes on from this checkpoint, at the earliest after that time. */
  static StepOutcome yield(JsonValue checkpoint, Duration after) {
    return new Yield(Optional.of(checkpoint), after);
  }

  /** Goes on from the latest checkpoint, if there is one, at the earliest after that time. */
  static StepOutcome yield(Duration after) {
    return new Yield(Optional.empty(), after);
  }

  static StepOutcome retryable(String errorType, String message) {
    return new RetryableFailure(errorType, message, Optional.empty());
  }

  static StepOutcome retryableAfter(Duration delay, String errorType, String message) {
    return new RetryableFailure(errorType, message, Optional.of(delay));
  }

  static StepOutcome permanent(String errorType, String message) {
    return new PermanentFailure(errorType, message, JsonValue.EMPTY_JSON_OBJECT);
  }

  static StepOutcome cancelled(String reason) {
    return new Cancelled(reason, JsonValue.NULL);
  }

  private static void requireText(String value, String field) {
    if (value == null || value.isBlank()) {
      throw new IllegalArgumentException(field + " must not be blank");
    }
  }
}
