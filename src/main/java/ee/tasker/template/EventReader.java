package ee.tasker.template;

import ee.tasker.template.model.DeliveryMode;
import ee.tasker.template.model.DomainEvent;
import ee.tasker.template.model.EventCondition;
import ee.tasker.template.model.EventDeclaration;
import ee.tasker.template.model.Limits;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads {@code domain_events} of a template and {@code publishes_events} of a step. */
final class EventReader {
  private EventReader() {}

  static List<DomainEvent> declared(Keys template) {
    Set<String> names = new HashSet<>();
    return template.list("domain_events").stream().map(Located::keys).flatMap(Optional::stream).map(keys -> {
      var name = name(keys);
      name.filter(known -> !names.add(known))
          .ifPresent(known -> keys.require("name").ifPresent(place -> place.refuse("there is another domain event named " + known)));
      var description = keys.find("description").flatMap(Located::description);
      var schema = keys.find("schema").flatMap(Located::schema);
      keys.refuseOthers();
      return name.map(known -> new DomainEvent(known, description, schema));
    }).flatMap(Optional::stream).toList();
  }

  static List<EventDeclaration> published(Keys step) {
    return step.list("publishes_events").stream().map(Located::keys).flatMap(Optional::stream).map(keys -> {
      var name = name(keys);
      var description = keys.find("description").flatMap(Located::description);
      var condition = keys.find("condition").flatMap(value -> value.oneOf(EventCondition.class));
      var schema = keys.find("schema").flatMap(Located::schema);
      var delivery = keys.find("delivery_mode").flatMap(value -> value.oneOf(DeliveryMode.class));
      var publisher = keys.find("publisher").flatMap(value -> value.word(Limits.WORD));
      keys.refuseOthers();
      return name.map(known -> new EventDeclaration(known, description, condition.orElse(EventCondition.SUCCESS),
          schema, delivery.orElse(DeliveryMode.DURABLE), publisher));
    }).flatMap(Optional::stream).toList();
  }

  private static Optional<String> name(Keys keys) {
    return keys.require("name").flatMap(value -> value.word(Limits.WORD));
  }
}
