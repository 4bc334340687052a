package ee.tasker.engine.reply;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

/**
 * Reply of {@code tasker.get_worker_step_results}.
 *
 * @param isUnknown whether there is no such worker, or another caller registered it
 * @param isClaimed whether the worker holds the step; otherwise there are no results
 * @param namespace of the task
 * @param results   by the name of the ancestor
 */
public record StepResultsReply(boolean isUnknown, boolean isClaimed, String namespace,
    JsonObject results) {

  public static StepResultsReply of(JsonObject reply) {
    String outcome = reply.getString(ReplyKeys.OUTCOME);
    boolean isFound = ReplyKeys.FOUND.equals(outcome);
    return new StepResultsReply(ReplyKeys.UNKNOWN_WORKER.equals(outcome), isFound,
        reply.getString(ReplyKeys.NAMESPACE, ReplyKeys.NONE),
        isFound ? reply.getJsonObject(ReplyKeys.RESULTS) : JsonValue.EMPTY_JSON_OBJECT);
  }
}
