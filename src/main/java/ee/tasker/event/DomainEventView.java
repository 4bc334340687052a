package ee.tasker.event;

import jakarta.json.JsonObject;
import java.util.Optional;

/** What a listener may see of a domain event. */
@FunctionalInterface
public interface DomainEventView {

  /**
   * @return the event without what the listener may not see; empty when it may not see the event
   */
  Optional<JsonObject> show(JsonObject event);
}
