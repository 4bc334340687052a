package ee.tasker.worker;

import ee.tasker.engine.model.Outcome;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.RetryableStepException;
import ee.tasker.handler.StepOutcome;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/** What outcomes and exceptions mean for a step; the table is in {@code docs/handlers.md}. */
final class Outcomes {
  static final String NOT_STORABLE = "result_not_storable";
  private static final int LONGEST_MESSAGE = 4_000;
  private static final Duration LONGEST_DELAY = Duration.ofMillis(Integer.MAX_VALUE);

  private Outcomes() {
  }

  static StepResult toResult(ClaimedStep step, StepOutcome outcome, Duration time) {
    if (outcome instanceof StepOutcome.Success success) {
      return accepted(step, success.result(), time);
    }
    if (outcome instanceof StepOutcome.RetryableFailure failure) {
      JsonObjectBuilder error = error(failure.errorType(), failure.message());
      failure.delay().ifPresent(delay -> error.add("delay_ms", delay.compareTo(LONGEST_DELAY) < 0 ? delay.toMillis() : Integer.MAX_VALUE));
      return new StepResult(step.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL, error.build(), time);
    }
    if (outcome instanceof StepOutcome.PermanentFailure failure) {
      JsonObjectBuilder error = error(failure.errorType(), failure.message());
      if (!failure.details().isEmpty() && JsonbCheck.complaint(failure.details()).isEmpty()) {
        error.add("details", failure.details());
      }
      return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL, error.build(), time);
    }
    StepOutcome.Cancelled cancelled = (StepOutcome.Cancelled) outcome;
    JsonValue partial = JsonbCheck.complaint(cancelled.partialResult()).isEmpty() ? cancelled.partialResult() : JsonValue.NULL;
    return new StepResult(step.key(), Outcome.CANCELLED, partial, error("Cancelled", cancelled.reason()).build(), time);
  }

  /** A success counts only if its result can be stored and fits the template's result schema. */
  private static StepResult accepted(ClaimedStep step, JsonValue result, Duration time) {
    Optional<String> complaint = JsonbCheck.complaint(result);
    if (complaint.isPresent()) {
      return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
          error(NOT_STORABLE, "result " + complaint.get()).build(), time);
    }
    List<ContextSchema.Violation> violations = step.definition().resultSchema().map(schema -> schema.validate(result)).orElse(List.of());
    if (violations.isEmpty()) {
      return new StepResult(step.key(), Outcome.SUCCESS, result, JsonValue.NULL, time);
    }
    ContextSchema.Violation first = violations.get(0);
    return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error("result_schema_violation", "result" + first.pointer() + ": " + first.message()).add("result", result).build(), time);
  }

  static StepOutcome ofException(Exception e, boolean isCancelRequested) {
    if (e instanceof PermanentStepException permanent) {
      return StepOutcome.permanent(permanent.errorType(), message(e));
    }
    if (e instanceof RetryableStepException retryable) {
      return new StepOutcome.RetryableFailure(retryable.errorType(), message(e), retryable.delay());
    }
    if (isCancelRequested && (e instanceof CancellationException || e instanceof InterruptedException)) {
      return StepOutcome.cancelled(message(e));
    }
    if (e instanceof TimeoutException) {
      return new StepOutcome.RetryableFailure("TimeoutError", message(e), Optional.empty());
    }
    if (e instanceof IllegalArgumentException) {
      return StepOutcome.permanent("ValidationError", message(e));
    }
    return new StepOutcome.RetryableFailure("UnexpectedError", e.getClass().getName() + ": " + message(e), Optional.empty());
  }

  static StepResult timedOut(ClaimedStep step, Duration limit, Duration time) {
    return new StepResult(step.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL,
        error("handler_timeout", "the handler did not finish within " + limit.toSeconds() + " seconds").build(), time);
  }

  /** The handler was asked to stop, and has not by the end of its grace period. */
  static StepResult cancelForced(ClaimedStep step, Duration time) {
    return new StepResult(step.key(), Outcome.CANCELLED, JsonValue.NULL,
        error("CancelForced", "the handler did not stop within the grace period").add("forced", true).build(), time);
  }

  static StepResult cancelledBeforeStart(ClaimedStep step) {
    return new StepResult(step.key(), Outcome.CANCELLED, JsonValue.NULL,
        error("Cancelled", "cancelled before the handler was called").build(),
        Duration.ZERO);
  }

  static StepResult handlerNotFound(ClaimedStep step, Duration time) {
    String how = step.definition().resolver().map(resolver -> " by resolver " + resolver).orElse("");
    return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error("handler_not_found", "no handler " + step.definition().handler() + " was found" + how).build(), time);
  }

  /** Nothing of a transactional step is there: the next attempt does it all again. */
  static StepResult transactionFailed(StepResult result, String why) {
    return new StepResult(result.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL, error("transaction_failed", why).build(),
        result.executionTime());
  }

  static StepResult transactionEnded(StepResult result) {
    return new StepResult(result.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error("transaction_ended", "the handler ended the transaction that belongs to its step").build(), result.executionTime());
  }

  static StepResult panicked(ClaimedStep step, Error e, Duration time) {
    return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL, error("handler_panic", e.toString()).build(), time);
  }

  /** For a result that the database cannot hold. */
  static StepResult notStorable(StepResult result, String why) {
    return new StepResult(result.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error(NOT_STORABLE, why).build(), result.executionTime());
  }

  private static JsonObjectBuilder error(String type, String message) {
    return Json.build().createObjectBuilder().add("type", clean(type)).add("message", clean(message));
  }

  static JsonObject errorObject(String type, String message) {
    return error(type, message).build();
  }

  private static String message(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  /** What PostgreSQL can store: no U+0000, and not without end. */
  private static String clean(String text) {
    // Cleaned after the cut, which may go through the middle of a character.
    return JsonbCheck.cleaned(text.length() <= LONGEST_MESSAGE ? text : text.substring(0, LONGEST_MESSAGE) + "…");
  }
}
