package ee.tasker.worker;

import ee.tasker.engine.model.Outcome;
import ee.tasker.handler.PermanentStepException;
import ee.tasker.handler.RetryableStepException;
import ee.tasker.handler.StepOutcome;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;

/**
 * Translates outcomes and exceptions into step results; the table is in {@code
 * docs/reference/handler-api.md}.
 */
public final class Outcomes {
  static final String NOT_STORABLE = "result_not_storable";

  private Outcomes() {
  }

  public static StepResult toResult(ClaimedStep step, StepOutcome outcome, Duration time) {
    if (outcome instanceof StepOutcome.Success success) {
      return accepted(step, success.result(), time);
    }
    if (outcome instanceof StepOutcome.Decision decision) {
      StepResult result = accepted(step, decision.result(), time);
      return result.outcome() == Outcome.SUCCESS
          ? result.deciding(decision.steps().stream().map(JsonbCheck::cleaned).toList()) : result;
    }
    if (outcome instanceof StepOutcome.Batches batches) {
      StepResult result = accepted(step, batches.result(), time);
      JsonArray cursors = Json.build().createArrayBuilder(batches.cursors()).build();
      return result.outcome() != Outcome.SUCCESS ? result
          : JsonbCheck.complaint(cursors).map(why -> notStorable(result, "batches " + why))
              .orElseGet(() -> result.batching(cursors));
    }
    if (outcome instanceof StepOutcome.Yield given) {
      Optional<String> complaint = given.checkpoint().flatMap(Checkpoints::complaint);
      return complaint.map(
          why -> new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
              error(Checkpoints.NOT_STORABLE, why).build(), time))
          .orElseGet(
              () -> StepResult.yielded(step.key(),
                  new StepResult.Yield(given.checkpoint(), given.after()), time));
    }
    if (outcome instanceof StepOutcome.RetryableFailure failure) {
      JsonObjectBuilder error = error(failure.errorType(), failure.message());
      failure.delay().ifPresent(delay -> error.add("delay_ms", delay.toMillis()));
      return new StepResult(step.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL, error.build(),
          time);
    }
    if (outcome instanceof StepOutcome.PermanentFailure failure) {
      JsonObjectBuilder error = error(failure.errorType(), failure.message());
      JsonValue details = JsonbCheck.cleaned(failure.details());
      if (!failure.details().isEmpty() && JsonbCheck.complaint(details).isEmpty()) {
        error.add("details", details);
      }
      return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL, error.build(),
          time);
    }
    StepOutcome.Cancelled cancelled = (StepOutcome.Cancelled) outcome;
    JsonValue partial = JsonbCheck.complaint(cancelled.partialResult()).isEmpty()
        ? cancelled.partialResult() : JsonValue.NULL;
    return new StepResult(step.key(), Outcome.CANCELLED, partial,
        error("Cancelled", cancelled.reason()).build(), time);
  }

  /** A success counts only if its result can be stored and fits the template's result schema. */
  private static StepResult accepted(ClaimedStep step, JsonValue result, Duration time) {
    Optional<String> complaint = JsonbCheck.complaint(result);
    if (complaint.isPresent()) {
      return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
          error(NOT_STORABLE, "result " + complaint.get()).build(), time);
    }
    return step.definition().rejection(result)
        .map(error -> new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL, error,
            time))
        .orElseGet(() -> new StepResult(step.key(), Outcome.SUCCESS, result, JsonValue.NULL, time));
  }

  public static StepOutcome ofException(Exception e, boolean isCancelRequested) {
    if (e instanceof PermanentStepException permanent) {
      return StepOutcome.permanent(permanent.errorType(), message(e));
    }
    if (e instanceof RetryableStepException retryable) {
      return new StepOutcome.RetryableFailure(retryable.errorType(), message(e), retryable.delay());
    }
    if (isCancelRequested
        && (e instanceof CancellationException || e instanceof InterruptedException)) {
      return StepOutcome.cancelled(message(e));
    }
    if (e instanceof TimeoutException) {
      return new StepOutcome.RetryableFailure("TimeoutError", message(e), Optional.empty());
    }
    if (e instanceof IllegalArgumentException) {
      return StepOutcome.permanent("ValidationError", message(e));
    }
    return new StepOutcome.RetryableFailure("UnexpectedError",
        e.getClass().getName() + ": " + message(e), Optional.empty());
  }

  public static StepResult timedOut(ClaimedStep step, Duration limit, Duration time) {
    return new StepResult(step.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL,
        error("handler_timeout",
            "the handler did not finish within " + limit.toSeconds() + " seconds").build(),
        time);
  }

  /** The handler was asked to stop and had not stopped by the end of its grace period. */
  static StepResult cancelForced(ClaimedStep step, Duration time) {
    return new StepResult(step.key(), Outcome.CANCELLED, JsonValue.NULL,
        error("CancelForced", "the handler did not stop within the grace period")
            .add("forced", true).build(),
        time);
  }

  public static StepResult cancelledBeforeStart(ClaimedStep step) {
    return new StepResult(step.key(), Outcome.CANCELLED, JsonValue.NULL,
        error("Cancelled", "cancelled before the handler was called").build(),
        Duration.ZERO);
  }

  /** The transaction of the step was rolled back: the next attempt repeats all of it. */
  static StepResult transactionFailed(StepResult result, String why) {
    return new StepResult(result.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL,
        error("transaction_failed", why).build(), result.executionTime());
  }

  static StepResult transactionEnded(StepResult result) {
    return new StepResult(result.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error("transaction_ended", "the handler ended the transaction that belongs to its step")
            .build(),
        result.executionTime());
  }

  /** A key is missing, or what is sealed was changed. */
  static StepResult notOpened(ClaimedStep step, Problem why, Duration time) {
    return new StepResult(step.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL,
        error(why.code().replace('-', '_'), why.getMessage()).build(), time);
  }

  /** Nothing of the result is kept. */
  static StepResult notSealed(StepResult result, Problem why) {
    return new StepResult(result.key(), Outcome.RETRYABLE_FAILURE, JsonValue.NULL,
        error(why.code().replace('-', '_'), why.getMessage()).build(), result.executionTime());
  }

  public static StepResult panicked(ClaimedStep step, Error e, Duration time) {
    return new StepResult(step.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error("handler_panic", e.toString()).build(), time);
  }

  /** Replaces a result that the database cannot store. */
  static StepResult notStorable(StepResult result, String why) {
    return new StepResult(result.key(), Outcome.PERMANENT_FAILURE, JsonValue.NULL,
        error(NOT_STORABLE, why).build(), result.executionTime());
  }

  private static JsonObjectBuilder error(String type, String message) {
    return StepResult.error(type, message);
  }

  static JsonObject errorObject(String type, String message) {
    return error(type, message).build();
  }

  private static String message(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
