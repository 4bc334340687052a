package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.OptionalInt;

/**
 * Reply of {@code tasker.save_worker_checkpoints}.
 *
 * @param isUnknown whether there is no such worker, or another caller registered it; nothing has
 *   changed then
 * @param invalid   the index of a checkpoint that may not be stored; nothing has changed then
 * @param message   why it may not
 * @param verdicts  objects with {@code step_uuid}, {@code handoff} and {@code verdict}, in the
 *   order of the checkpoints
 * @param cancels   objects with {@code step_uuid}, {@code handoff} and {@code force_in_ms}: steps
 *   that should stop
 */
public record CheckpointsReply(boolean isUnknown, OptionalInt invalid, String message,
    JsonArray verdicts, JsonArray cancels) {

  private static final String INDEX = "index";

  public static CheckpointsReply of(JsonObject reply) {
    return new CheckpointsReply(ReplyKeys.UNKNOWN_WORKER.equals(reply.getString(ReplyKeys.OUTCOME)),
        reply.containsKey(INDEX) ? OptionalInt.of(reply.getInt(INDEX)) : OptionalInt.empty(),
        reply.getString(ReplyKeys.MESSAGE, ReplyKeys.NONE),
        array(reply, ReplyKeys.VERDICTS), array(reply, "cancels"));
  }

  private static JsonArray array(JsonObject reply, String name) {
    return reply.containsKey(name) ? reply.getJsonArray(name) : JsonValue.EMPTY_JSON_ARRAY;
  }
}
