package ee.tasker.engine.reply;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A task that became terminal, or blocked until an operator acts, by a call.
 *
 * @param document as of the end, where the call was told that a caller waits for it; it may be
 *   missing even then
 */
public record EndedTask(UUID taskUuid, TaskState state, Optional<String> correlationId,
    Optional<JsonObject> document) {

  /** One whose document is not at hand. */
  public static EndedTask of(UUID taskUuid, TaskState state) {
    return new EndedTask(taskUuid, state, Optional.empty(), Optional.empty());
  }

  static List<EndedTask> in(JsonObject reply) {
    JsonArray ended = reply.getJsonArray(ReplyKeys.ENDED);
    return ended == null || ended.isEmpty() ? List.of()
        : ended.getValuesAs(JsonObject.class).stream().map(EndedTask::of).toList();
  }

  private static EndedTask of(JsonObject document) {
    return new EndedTask(Json.uuid(document, ReplyKeys.TASK_UUID),
        TaskState.of(document.getString(ReplyKeys.STATE)),
        Json.text(document, ReplyKeys.CORRELATION_ID),
        document.get(ReplyKeys.DOCUMENT) instanceof JsonObject whole ? Optional.of(whole)
            : Optional.empty());
  }
}
