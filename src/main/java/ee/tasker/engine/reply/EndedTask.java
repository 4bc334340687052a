package ee.tasker.engine.reply;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A task that became terminal, or blocked until an operator acts, by a call. */
public record EndedTask(UUID taskUuid, TaskState state, Optional<String> correlationId) {

  static List<EndedTask> in(JsonObject reply) {
    JsonArray ended = reply.getJsonArray(ReplyKeys.ENDED);
    return ended == null || ended.isEmpty() ? List.of()
        : ended.getValuesAs(JsonObject.class).stream().map(EndedTask::of).toList();
  }

  private static EndedTask of(JsonObject document) {
    return new EndedTask(Json.uuid(document, ReplyKeys.TASK_UUID),
        TaskState.of(document.getString(ReplyKeys.STATE)),
        Json.text(document, ReplyKeys.CORRELATION_ID));
  }
}
