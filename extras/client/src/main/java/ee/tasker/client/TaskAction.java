package ee.tasker.client;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;

/** What an operator does to a task. Every action needs who and why, which the history keeps. */
public final class TaskAction {
  private final JsonObject json;

  private TaskAction(JsonObject json) {
    this.json = json;
  }

  private static TaskAction of(String type, String requestedBy, String reason) {
    return new TaskAction(
        Json.createObjectBuilder().add("action_type", type).add("requested_by", requestedBy)
            .add("reason", reason).build());
  }

  /** All failed steps run again. */
  public static TaskAction retry(String requestedBy, String reason) {
    return of("retry", requestedBy, reason);
  }

  /**
   * The step and everything after it run again; completed steps only with {@link #rerunCompleted}.
   */
  public static TaskAction retryFromStep(String step, String requestedBy, String reason) {
    return of("retry_from_step", requestedBy, reason).with("step", Json.createValue(step));
  }

  /** The task counts as done, by hand. */
  public static TaskAction resolve(String requestedBy, String reason) {
    return of("resolve", requestedBy, reason);
  }

  /** The task ends in {@code error}. */
  public static TaskAction fail(String requestedBy, String reason) {
    return of("fail", requestedBy, reason);
  }

  /**
   * What the task has done is compensated; a blocked one ends in {@code error} after that, another
   * one as {@code cancelled}.
   */
  public static TaskAction compensate(String requestedBy, String reason) {
    return of("compensate", requestedBy, reason);
  }

  /** Replaces the context; for the two retries. */
  public TaskAction context(JsonObject context) {
    return with("context", context);
  }

  /**
   * Also steps that are complete. Each of them gets another idempotency token: its effect happens
   * again.
   */
  public TaskAction rerunCompleted() {
    return with("rerun_completed", JsonValue.TRUE);
  }

  /**
   * Whether the steps that start again get another idempotency token, because their effects are
   * wanted again; for the two retries. Without
   * this call the completed ones do, and the failed ones keep theirs.
   */
  public TaskAction newIdempotencyTokens(boolean areNew) {
    return with("new_idempotency_token", areNew ? JsonValue.TRUE : JsonValue.FALSE);
  }

  private TaskAction with(String member, JsonValue value) {
    JsonObjectBuilder more = Json.createObjectBuilder(json);
    return new TaskAction(more.add(member, value).build());
  }

  public JsonObject json() {
    return json;
  }
}
