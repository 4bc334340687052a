package ee.tasker.handler;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/** The outcome that a handler reports for its step. Immutable. */
public sealed interface StepOutcome {

  /** The work is done; {@code result} is what successors see under the step's name. */
  record Success(JsonValue result) implements StepOutcome {
    public Success {
      Objects.requireNonNull(result, "result: use JsonValue.NULL when there is none");
    }
  }

  /**
   * The step failed and may succeed later. It is retried while attempts remain; otherwise it moves to {@code error}.
   *
   * @param errorType a short stable word for statistics, for instance {@code GatewayTimeout}
   * @param delay     how long the called service asked us to wait; takes precedence over the template's backoff
   */
  record RetryableFailure(String errorType, String message, Optional<Duration> delay) implements StepOutcome {
    public RetryableFailure {
      requireText(errorType, "errorType");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(delay, "delay: use Optional.empty()");
      if (delay.filter(Duration::isNegative).isPresent()) {
        throw new IllegalArgumentException("delay must not be negative: " + delay.get());
      }
    }
  }

  /** The step failed and would fail again: it moves to {@code error} at once. */
  record PermanentFailure(String errorType, String message, JsonObject details) implements StepOutcome {
    public PermanentFailure {
      requireText(errorType, "errorType");
      Objects.requireNonNull(message, "message");
      Objects.requireNonNull(details, "details: use JsonValue.EMPTY_JSON_OBJECT when there are none");
    }
  }

  /** The handler saw a cancel request and stopped; {@code partialResult} is stored with the step. */
  record Cancelled(String reason, JsonValue partialResult) implements StepOutcome {
    public Cancelled {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(partialResult, "partialResult: use JsonValue.NULL when there is none");
    }
  }

  static StepOutcome success() {
    return new Success(JsonValue.EMPTY_JSON_OBJECT);
  }

  static StepOutcome success(JsonValue result) {
    return new Success(result);
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
