package ee.tasker.engine.reply;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * Reply of {@code tasker.register_worker}, {@code tasker.heartbeat_worker} and {@code
 * tasker.drain_worker}.
 *
 * @param isUnknown    whether there is no such worker, or another caller registered it; nothing has
 *   changed then
 * @param isForeign    whether a registration names the worker of another caller; nothing has
 *   changed then
 * @param invalidField the field that the function refuses
 * @param message      why it does
 * @param state        the worker's state
 * @param isNew        whether a registration created the worker
 * @param hasQueued    whether steps were put on queues
 * @param ended        tasks that became terminal or blocked
 * @param document     the reply itself
 */
public record WorkerReply(boolean isUnknown, boolean isForeign, Optional<String> invalidField,
    String message, String state, boolean isNew, boolean hasQueued, List<EndedTask> ended,
    JsonObject document) {

  public static WorkerReply of(JsonObject reply) {
    String outcome = reply.getString(ReplyKeys.OUTCOME);
    return new WorkerReply(ReplyKeys.UNKNOWN_WORKER.equals(outcome), "foreign".equals(outcome),
        Json.text(reply, ReplyKeys.FIELD), reply.getString(ReplyKeys.MESSAGE, ReplyKeys.NONE),
        reply.getString(ReplyKeys.STATE, ReplyKeys.NONE), reply.getBoolean("is_new", false),
        ReplyKeys.hasQueued(reply),
        EndedTask.in(reply), reply);
  }
}
