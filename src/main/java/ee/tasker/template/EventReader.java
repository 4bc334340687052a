package ee.tasker.template;

import ee.tasker.template.StepDraft.Expression;
import ee.tasker.template.model.DeliveryMode;
import ee.tasker.template.model.DomainEvent;
import ee.tasker.template.model.EventCondition;
import ee.tasker.template.model.EventDeclaration;
import ee.tasker.template.model.Limits;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code domain_events} of a template and {@code publishes_events} of a step. */
final class EventReader {
  private static final Set<String> CHECKED = Set.of("type", "enum", "const", "required",
      "properties", "additionalProperties", "items",
      "minItems",
      "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
      "maxLength");
  private static final Set<String> ANNOTATIONS = Set.of("$schema", "$id", "$comment", "title",
      "description", "default", "examples",
      "deprecated",
      "readOnly", "writeOnly", "format");

  private EventReader() {}

  static List<DomainEvent> declared(Keys template) {
    Set<String> names = new HashSet<>();
    return template.list("domain_events").stream().map(Located::keys).flatMap(Optional::stream)
        .map(keys -> {
          var name = name(keys);
          name.filter(known -> !names.add(known))
              .ifPresent(known -> keys.require("name").ifPresent(
                  place -> place.refuse("there is another domain event named " + known)));
          var description = keys.find("description").flatMap(Located::description);
          var schema = keys.find("schema").flatMap(EventReader::schema);
          keys.refuseOthers();
          return name.map(known -> new DomainEvent(known, description, schema));
        }).flatMap(Optional::stream).toList();
  }

  /** @param expressions to which the mappings are added */
  static List<EventDeclaration> published(Keys step, Optional<String> stepName,
      List<Expression> expressions) {
    step.find("publishes_events").flatMap(Located::list).filter(list -> list.size() > Limits.EVENTS)
        .ifPresent(list -> list.get(Limits.EVENTS)
            .<Object>refuse("a step must publish at most " + Limits.EVENTS + " events"));
    return step.list("publishes_events").stream().map(Located::keys).flatMap(Optional::stream)
        .map(keys -> {
          var name = name(keys);
          var description = keys.find("description").flatMap(Located::description);
          var condition = keys.find("condition")
              .flatMap(value -> value.oneOf(EventCondition.class));
          var schema = keys.find("schema").flatMap(EventReader::schema);
          var delivery = keys.find("delivery_mode")
              .flatMap(value -> value.oneOf(DeliveryMode.class));
          var payload = keys.find("payload")
              .flatMap(place -> place.keys().flatMap(mapping -> place.json())
                  .map(CanonicalJson::write).map(text -> {
                    expressions.add(new Expression(stepName, "payload", text, place));
                    return text;
                  }));
          keys.find("publisher").filter(place -> !place.isNull())
              .ifPresent(place -> place.refuse(
                  "no class builds the payload of an event here; a mapping under payload does"));
          keys.refuseOthers();
          return name.map(known -> new EventDeclaration(known, description,
              condition.orElse(EventCondition.SUCCESS), schema,
              delivery.orElse(DeliveryMode.DURABLE), payload));
        }).flatMap(Optional::stream).toList();
  }

  /**
   * The database checks the data of an event, in the transaction of the result, and knows some
   * keywords only.
   */
  private static Optional<String> schema(Located place) {
    if (place.isNull()) {
      return Optional.empty();
    }
    var schema = place.schema();
    place.json().flatMap(EventReader::otherKeyword)
        .ifPresent(keyword -> place.refuse("has the keyword " + keyword
            + ", which is not checked in schemas of events; known are "
            + String.join(", ", new TreeSet<>(CHECKED))));
    return schema;
  }

  private static Optional<String> otherKeyword(JsonValue schema) {
    if (!(schema instanceof JsonObject object)) {
      return Optional.empty();
    }
    for (var member : object.entrySet()) {
      if (!CHECKED.contains(member.getKey()) && !ANNOTATIONS.contains(member.getKey())) {
        return Optional.of(member.getKey());
      }
      if (member.getKey().equals("additionalProperties")
          && member.getValue() instanceof JsonObject) {
        return Optional.of("additionalProperties with a schema");
      }
      if (member.getKey().equals("items")) {
        var found = otherKeyword(member.getValue());
        if (found.isPresent()) {
          return found;
        }
      }
      if (member.getKey().equals("properties")
          && member.getValue() instanceof JsonObject properties) {
        var found = properties.values().stream().map(EventReader::otherKeyword)
            .flatMap(Optional::stream).findFirst();
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> name(Keys keys) {
    return keys.require("name")
        .flatMap(value -> value.word(Limits.WORD)
            .flatMap(name -> name.startsWith(EventDeclaration.RESERVED)
                ? value.refuse("must not begin with " + EventDeclaration.RESERVED
                    + ", as the events of the engine do")
                : Optional.of(name)));
  }
}
