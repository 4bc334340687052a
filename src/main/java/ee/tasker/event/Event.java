package ee.tasker.event;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import java.util.Optional;
import java.util.UUID;

/**
 * What is sent to who listens.
 *
 * @param id   the position after it, from which whoever has it can go on; empty when there is none to tell
 * @param name {@code task}, {@code step}, {@code end}, {@code alive} for the position alone, or empty for a sign of life, which has no data
 * @param data as JSON
 */
public record Event(String id, Optional<String> name, String data) {

  /** A move, of which a few members are looked at again and again. */
  record Move(Event event, UUID taskUuid, String kind, String toState, JsonObject data) {
    static Move of(JsonObject event) {
      JsonObject data = event.getJsonObject("data");
      return new Move(new Event(event.getString("id"), Optional.of(event.getString("event")), data.toString()),
          UUID.fromString(data.getString("task_uuid")), event.getString("event"), data.getString("to_state"), data);
    }
  }

  /** Nothing happened up to here. */
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
