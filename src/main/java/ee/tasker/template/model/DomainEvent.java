package ee.tasker.template.model;

import java.util.Optional;

/**
 * An event that the template declares.
 *
 * @param schema JSON Schema of its payload, as JSON text
 */
public record DomainEvent(String name, Optional<String> description, Optional<String> schema) {
  public DomainEvent {
    Checks.text(name, "domain_events.name", Limits.WORD);
    Checks.present(description, "domain_events.description");
    Checks.present(schema, "domain_events.schema");
  }
}
