package ee.tasker.remote;

import ee.tasker.engine.model.Outcome;
import ee.tasker.platform.Json;
import ee.tasker.step.StepResult;
import ee.tasker.step.StepSeals;
import ee.tasker.step.StepSpec;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What an external worker says about one step that it holds. Unlike a {@link StepResult}, it may be
 * that no handler has run, and leaves the task and perhaps the time to the database.
 *
 * @param outcome the word of an {@link Outcome}, or {@link #RELEASED}, {@link #DECLINED}
 * @param result  the result or partial result; JSON null when there is none
 * @param error   {@code {type, message, delay_ms?, details?}}; JSON null when there is none
 * @param executionTime empty when the worker names none: then the database measures it
 * @param decision the names of the steps that a decision chose; empty for other steps
 * @param batches  the cursors of a batchable step; empty for other steps
 * @param yield    where the step goes on; only of the outcome {@code yielded}
 */
public record WorkerResult(UUID stepUuid, int handoff, String outcome, JsonValue result,
    JsonValue error, Optional<Duration> executionTime, Optional<List<String>> decision,
    Optional<JsonArray> batches, Optional<StepResult.Yield> yield) {
  /** The step has not started: it is given back without using an attempt. */
  public static final String RELEASED = "released";
  /**
   * The worker lacks the handler: the step is given back, and the worker gets none of that handler
   * until it registers again.
   */
  public static final String DECLINED = "declined";

  static WorkerResult released(UUID stepUuid, int handoff) {
    return new WorkerResult(stepUuid, handoff, RELEASED, JsonValue.NULL, JsonValue.NULL,
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** See {@link Outcome#endsWell}. */
  public boolean endsWell() {
    return isOneThat(Outcome::endsWell);
  }

  /** See {@link Outcome#commits}. */
  boolean commits() {
    return isOneThat(Outcome::commits);
  }

  private boolean isOneThat(Predicate<Outcome> what) {
    return Stream.of(Outcome.values())
        .anyMatch(each -> what.test(each) && each.word().equals(outcome));
  }

  /** Whether a handler has run. */
  public boolean isOfAHandler() {
    return !RELEASED.equals(outcome) && !DECLINED.equals(outcome);
  }

  /** The same attempt as a permanent failure: its result does not fit. */
  WorkerResult failed(JsonObject why) {
    return new WorkerResult(stepUuid, handoff, Outcome.PERMANENT_FAILURE.word(), JsonValue.NULL,
        why, executionTime, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** As it may be stored. */
  WorkerResult sealed(StepSeals seals, StepSpec spec) {
    if (spec.sealing() == StepSpec.Sealing.NOTHING) {
      return this;
    }
    return new WorkerResult(stepUuid, handoff, outcome,
        endsWell() ? seals.sealResult(spec, result) : seals.sealPartialResult(spec, result),
        seals.sealError(spec, error), executionTime, decision, batches,
        yield.map(given -> seals.sealYield(spec, given)));
  }

  JsonObject toJson() {
    JsonObjectBuilder json = Json.build().createObjectBuilder()
        .add("step_uuid", stepUuid.toString()).add("handoff", handoff)
        .add("outcome", outcome);
    executionTime.ifPresent(time -> json.add("execution_time_ms", time.toMillis()));
    StepResult.addGiven(json, result, error, decision, batches, yield);
    return json.build();
  }
}
