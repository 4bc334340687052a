package ee.tasker.engine.reply;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Locale;

/**
 * One answer of the reply of {@code tasker.claim_steps_for_workers}, which has them in the order of
 * the requests.
 *
 * @param state        the worker's state; empty when it is not known
 * @param kind         what the request says while it waits on; empty when it is not known
 * @param claimedSteps the documents of the claimed steps
 */
public record WorkerClaimReply(Outcome outcome, String state, String kind, JsonArray claimedSteps) {

  /** How a request was answered. */
  public enum Outcome {
    CLAIMED,
    /** The queues have nothing for the worker. */
    EMPTY,
    /** The worker's capacity is in use. */
    FULL,
    /** Another request of the worker is under way. */
    BUSY,
    /** The worker is paused, draining, stopped or considered lost. */
    NOT_CLAIMING,
    /** There is no such worker, or another caller registered it. */
    UNKNOWN_WORKER
  }

  public static List<WorkerClaimReply> of(JsonArray reply) {
    return reply.getValuesAs(JsonObject.class).stream().map(WorkerClaimReply::of).toList();
  }

  private static WorkerClaimReply of(JsonObject answer) {
    return new WorkerClaimReply(
        Outcome.valueOf(answer.getString(ReplyKeys.OUTCOME).toUpperCase(Locale.ROOT)),
        Json.text(answer, ReplyKeys.STATE).orElse(ReplyKeys.NONE),
        Json.text(answer, "kind").orElse(ReplyKeys.NONE), ReplyKeys.claimedSteps(answer));
  }
}
