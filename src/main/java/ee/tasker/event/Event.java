package ee.tasker.event;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import java.util.Optional;
import java.util.UUID;

/**
 * What is sent to a listener.
 *
 * @param id   the position after the event, from which a listener can resume; empty when there is
 *   none
 * @param name {@code task}, {@code step}, {@code end}, {@code alive} for the position alone, or
 *   empty for a keep-alive,
 *     which has no data
 * @param data as JSON
 */
public record Event(String id, Optional<String> name, String data) {

  /** A transition, with the members that are read often. */
  record Move(Event event, UUID taskUuid, String kind, String toState, JsonObject data) {
    static Move of(JsonObject event) {
      JsonObject data = event.getJsonObject("data");
      return new Move(
          new Event(event.getString("id"), Optional.of(event.getString("event")), data.toString()),
          UUID.fromString(data.getString("task_uuid")), event.getString("event"),
          data.getString("to_state"), data);
    }
  }

  /** No event up to this position. */
  static Event alive(long bound) {
    return new Event(Long.toString(bound), Optional.of("alive"), "{}");
  }

  static Event signOfLife() {
    return new Event("", Optional.empty(), "");
  }

  static Event end(UUID taskUuid, String state, long bound) {
    return new Event(Long.toString(bound), Optional.of("end"), Json.build().createObjectBuilder()
        .add("task_uuid", taskUuid.toString()).add("state", state).build().toString());
  }
}
