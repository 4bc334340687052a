package ee.tasker.event;

import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Which events a listener wants.
 *
 * @param taskUuid one task, whose end also ends the stream; empty for all tasks
 * @param among    the tasks whose events are wanted, while the stream goes on when they end; empty
 *   for all
 * @param members  required values of members of an event's data; {@code kind} is {@code task} or
 *   {@code step}
 */
public record EventFilter(Optional<UUID> taskUuid, Set<UUID> among, Map<String, String> members) {
  public EventFilter {
    among = Set.copyOf(among);
    members = Map.copyOf(members);
  }

  public EventFilter(Optional<UUID> taskUuid, Map<String, String> members) {
    this(taskUuid, Set.of(), members);
  }

  /** The only tasks that it can accept; empty when it may accept any. */
  Set<UUID> tasks() {
    return taskUuid.map(Set::of).orElse(among);
  }

  /** The union of the tasks that the filters can accept; null when one of them may accept any. */
  static Set<UUID> tasksOf(Collection<EventFilter> filters) {
    Set<UUID> tasks = new LinkedHashSet<>();
    for (EventFilter filter : filters) {
      if (filter.tasks().isEmpty()) {
        return null;
      }
      tasks.addAll(filter.tasks());
    }
    return tasks;
  }

  boolean accepts(Event.Move move) {
    return (tasks().isEmpty() || tasks().contains(move.taskUuid()))
        && members.entrySet().stream().allMatch(
            wanted -> wanted.getValue().equals(
                "kind".equals(wanted.getKey()) ? move.kind() : text(move.data(), wanted.getKey())));
  }

  private static String text(JsonObject data, String member) {
    return data.get(member) instanceof JsonString text ? text.getString() : null;
  }
}
