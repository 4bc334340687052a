package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

/**
 * Reply of {@code tasker.get_worker_batch_results}.
 *
 * @param isUnknown whether there is no such worker, or another caller registered it
 * @param isClaimed whether the worker holds the step; otherwise there are no results
 * @param isBatch   whether the step follows from such a batch
 * @param namespace of the task
 * @param results   a page, in the order of the batches
 * @param next      the number of the last batch of the page when others follow, otherwise JSON null
 */
public record WorkerBatchReply(boolean isUnknown, boolean isClaimed, boolean isBatch,
    String namespace, JsonArray results, JsonValue next) {

  public static WorkerBatchReply of(JsonObject reply) {
    String outcome = reply.getString(ReplyKeys.OUTCOME);
    boolean isFound = ReplyKeys.FOUND.equals(outcome);
    return new WorkerBatchReply(ReplyKeys.UNKNOWN_WORKER.equals(outcome),
        isFound || "no_such_batch".equals(outcome), isFound,
        reply.getString(ReplyKeys.NAMESPACE, ReplyKeys.NONE),
        isFound ? reply.getJsonArray(ReplyKeys.RESULTS) : JsonValue.EMPTY_JSON_ARRAY,
        isFound ? reply.get("next") : JsonValue.NULL);
  }
}
