package ee.tasker.client;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

/** What an operator does to a step. Every action needs who and why, which the history keeps. */
public final class StepAction {
  private final JsonObject json;

  private StepAction(JsonObject json) {
    this.json = json;
  }

  /** The failed step runs again, with all its attempts. */
  public static StepAction reset(String resetBy, String reason) {
    return new StepAction(
        Json.createObjectBuilder().add("action_type", "reset_for_retry").add("reset_by", resetBy)
            .add("reason", reason).build());
  }

  /** The step counts as done, without a result. */
  public static StepAction resolve(String resolvedBy, String reason) {
    return new StepAction(
        Json.createObjectBuilder().add("action_type", "resolve_manually")
            .add("resolved_by", resolvedBy).add("reason", reason).build());
  }

  /** The step is complete with this result, which must fit its schema. */
  public static StepAction complete(JsonValue result, String completedBy, String reason) {
    return new StepAction(Json.createObjectBuilder().add("action_type", "complete_manually")
        .add("completed_by", completedBy)
        .add("reason", reason)
        .add("completion_data", Json.createObjectBuilder().add("result", result)).build());
  }

  /** Refused with {@code attempt-has-changed} if the step has moved on from this attempt. */
  public StepAction ifAttempt(int attempt) {
    return new StepAction(Json.createObjectBuilder(json).add("attempt", attempt).build());
  }

  /** Replaces the step's own inputs; for a reset. */
  public StepAction inputs(JsonObject inputs) {
    return new StepAction(Json.createObjectBuilder(json).add("inputs", inputs).build());
  }

  /**
   * Gives the step another idempotency token, because its effect is wanted again; for a reset.
   * Without this call it keeps its token, so that
   * other systems know what an earlier attempt has done.
   */
  public StepAction newIdempotencyToken() {
    return new StepAction(
        Json.createObjectBuilder(json).add("new_idempotency_token", true).build());
  }

  public JsonObject json() {
    return json;
  }
}
