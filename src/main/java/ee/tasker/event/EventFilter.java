package ee.tasker.event;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Which events a listener wants.
 *
 * @param taskUuid one task, whose end also ends the stream; empty for all tasks
 * @param members  required values of members of an event's data; {@code kind} is {@code task} or {@code step}
 */
public record EventFilter(Optional<UUID> taskUuid, Map<String, String> members) {
  public EventFilter {
    members = Map.copyOf(members);
  }

  boolean accepts(Event.Move move) {
    return taskUuid.map(move.taskUuid()::equals).orElse(true)
        && members.entrySet().stream().allMatch(
            wanted -> wanted.getValue().equals("kind".equals(wanted.getKey()) ? move.kind() : text(move.data(), wanted.getKey())));
  }

  private static String text(JsonObject data, String member) {
    return data.get(member) instanceof JsonString text ? text.getString() : null;
  }
}
