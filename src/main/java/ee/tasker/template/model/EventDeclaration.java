package ee.tasker.template.model;

import java.util.Optional;

/**
 * An event that a step publishes.
 *
 * @param condition    after which outcome; success by default
 * @param schema       JSON Schema of the payload, as JSON text
 * @param deliveryMode durable by default
 * @param payload      a mapping that makes the data, as canonical JSON text; empty for the
 *   unchanged result
 */
public record EventDeclaration(String name, Optional<String> description, EventCondition condition,
    Optional<String> schema, DeliveryMode deliveryMode, Optional<String> payload) {
  /** How the names of events begin that the engine publishes itself. */
  public static final String RESERVED = "tasker.";

  public EventDeclaration {
    Checks.text(name, "publishes_events.name", Limits.WORD);
    Checks.require(!name.startsWith(RESERVED),
        "publishes_events.name must not begin with " + RESERVED + ", but is " + name);
    Checks.present(description, "publishes_events.description");
    Checks.present(condition, "publishes_events.condition");
    Checks.present(schema, "publishes_events.schema");
    Checks.present(deliveryMode, "publishes_events.delivery_mode");
    Checks.present(payload, "publishes_events.payload");
  }
}
