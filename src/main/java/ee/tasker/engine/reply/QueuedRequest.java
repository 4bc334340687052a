package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.List;

/**
 * Reply of {@code tasker.take_task_requests}: a message of the queue of requests.
 *
 * @param id         the message's number in its queue
 * @param deliveries how often it was read, this time included
 * @param document   the whole message, which is retained when it is refused
 */
public record QueuedRequest(JsonValue id, int deliveries, JsonValue message, JsonObject document) {

  public static List<QueuedRequest> of(JsonArray reply) {
    return reply.getValuesAs(JsonObject.class).stream().map(QueuedRequest::of).toList();
  }

  private static QueuedRequest of(JsonObject document) {
    return new QueuedRequest(document.get("msg_id"), document.getInt("read_ct"),
        document.get(ReplyKeys.MESSAGE), document);
  }
}
