package ee.tasker.event;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.util.Map;

/**
 * Which domain events a listener wants.
 *
 * @param members   required values of members of the CloudEvent
 * @param withError whether {@code taskererror} must be there, or must not; null for either
 */
public record DomainEventFilter(Map<String, String> members, Boolean withError) {
  public DomainEventFilter {
    members = Map.copyOf(members);
  }

  boolean accepts(JsonObject event) {
    // The subject of an event of a schedule is no task.
    return !(members.containsKey("subject")
        && event.getString("type").startsWith("tasker.schedule."))
        && (withError == null || withError == event.containsKey("taskererror"))
        && members.entrySet().stream()
            .allMatch(wanted -> event.get(wanted.getKey()) instanceof JsonString text
                && text.getString().equals(wanted.getValue()));
  }

  /** The same for the database. */
  JsonObject forDatabase() {
    var filter = Json.build().createObjectBuilder();
    members.forEach((member, value) -> filter.add(switch (member) {
      case "taskernamespace" -> "namespace";
      case "taskertemplate" -> "name";
      case "taskercorrelation" -> "correlation_id";
      case "subject" -> "task_uuid";
      default -> member;
    }, value));
    if (withError != null) {
      filter.add("with_error", withError);
    }
    return filter.build();
  }
}
