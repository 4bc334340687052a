package ee.tasker.engine.reply;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;

/**
 * Reply of {@code tasker.take_unchecked_tasks}: a task made by SQL, whose context is still to be
 * validated.
 */
public record UncheckedTask(UUID taskUuid, UUID templateUuid, JsonObject context) {

  public static List<UncheckedTask> of(JsonArray reply) {
    return reply.getValuesAs(JsonObject.class).stream().map(UncheckedTask::of).toList();
  }

  private static UncheckedTask of(JsonObject document) {
    return new UncheckedTask(Json.uuid(document, ReplyKeys.TASK_UUID),
        Json.uuid(document, "template_uuid"), document.getJsonObject("context"));
  }
}
