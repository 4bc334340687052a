package ee.tasker.step;

import ee.tasker.engine.model.Outcome;
import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The result that a worker submits for one handoff.
 *
 * @param result  the result or partial result; JSON null when there is none
 * @param error   {@code {type, message, delay_ms?, ...}}; JSON null for a success
 * @param decision the names of the steps that a decision chose; empty for other steps
 * @param batches  the cursors of a batchable step; empty for other steps
 * @param yield    where the step goes on; only of the outcome {@code yielded}
 */
public record StepResult(StepKey key, Outcome outcome, JsonValue result, JsonValue error,
    Duration executionTime, Optional<List<String>> decision, Optional<JsonArray> batches,
    Optional<Yield> yield) {

  /**
   * Where and when a step that yielded goes on.
   *
   * @param checkpoint empty to keep the latest one
   */
  public record Yield(Optional<JsonValue> checkpoint, Duration after) {
  }

  /** The result of a step that is neither a decision nor batchable. */
  public StepResult(StepKey key, Outcome outcome, JsonValue result, JsonValue error,
      Duration executionTime) {
    this(key, outcome, result, error, executionTime, Optional.empty(), Optional.empty(),
        Optional.empty());
  }

  /** The same result with the names of the steps that a decision chose. */
  public StepResult deciding(List<String> steps) {
    return new StepResult(key, outcome, result, error, executionTime, Optional.of(steps),
        Optional.empty(), Optional.empty());
  }

  /** The same result with the cursors of a batchable step. */
  public StepResult batching(JsonArray cursors) {
    return new StepResult(key, outcome, result, error, executionTime, Optional.empty(),
        Optional.of(cursors), Optional.empty());
  }

  /** The end of a handoff that yielded. */
  public static StepResult yielded(StepKey key, Yield yield, Duration executionTime) {
    return new StepResult(key, Outcome.YIELDED, JsonValue.NULL, JsonValue.NULL, executionTime,
        Optional.empty(), Optional.empty(), Optional.of(yield));
  }

  /** In characters, with an ellipsis at the end of a longer one. */
  public static final int LONGEST_MESSAGE = 4_000;

  /**
   * The error of a failure, with texts that PostgreSQL can store: without U+0000 and of limited
   * length.
   */
  public static JsonObjectBuilder error(String type, String message) {
    return Json.build().createObjectBuilder().add("type", clean(type)).add("message",
        clean(message));
  }

  private static String clean(String text) {
    return JsonbCheck.cleaned(text, LONGEST_MESSAGE);
  }

  /** As {@code tasker.complete_steps} takes it. */
  public JsonObject toJson() {
    JsonObjectBuilder json = Json.build().createObjectBuilder()
        .add("step_uuid", key.stepUuid().toString())
        .add("task_uuid", key.taskUuid().toString())
        .add("handoff", key.handoff())
        .add("outcome", outcome.word())
        .add("execution_time_ms", executionTime.toMillis());
    addGiven(json, result, error, decision, batches, yield);
    return json.build();
  }

  /** Adds what a worker gave, a server or an external one, as the database reads it of both. */
  public static void addGiven(JsonObjectBuilder json, JsonValue result, JsonValue error,
      Optional<List<String>> decision, Optional<JsonArray> batches, Optional<Yield> yield) {
    if (result != JsonValue.NULL) {
      json.add("result", result);
    }
    if (error != JsonValue.NULL) {
      json.add("error", error);
    }
    decision.ifPresent(steps -> json.add("decision", Json.build().createArrayBuilder(steps)));
    batches.ifPresent(cursors -> json.add("batches", cursors));
    yield.ifPresent(given -> {
      given.checkpoint().ifPresent(value -> json.add("checkpoint", value));
      json.add("after_ms", given.after().toMillis());
    });
  }
}
