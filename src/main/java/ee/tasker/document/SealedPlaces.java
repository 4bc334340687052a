package ee.tasker.document;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Which values of a document are sealed: the whole, or members of an object, or of each element of
 * a list. Immutable.
 *
 * @param isWhole  then the others mean nothing
 * @param members  by name; only those with a sealed value in them
 * @param elements of each element of a list
 */
public record SealedPlaces(boolean isWhole, Map<String, SealedPlaces> members,
    Optional<SealedPlaces> elements) {
  public static final SealedPlaces NONE = new SealedPlaces(false, Map.of(), Optional.empty());
  private static final SealedPlaces WHOLE = new SealedPlaces(true, Map.of(), Optional.empty());

  /** The keyword of a schema that marks a value. */
  public static final String KEYWORD = "x-sealed";

  public SealedPlaces {
    members = Map.copyOf(members);
  }

  /**
   * What a schema marks with {@code x-sealed: true}: itself, below {@code properties} and {@code
   * items}, and in the schemas of an {@code allOf} at these places. Elsewhere the keyword is
   * refused when a template is registered.
   */
  public static SealedPlaces of(JsonValue schema) {
    if (!(schema instanceof JsonObject object)) {
      return NONE;
    }
    if (object.get(KEYWORD) == JsonValue.TRUE) {
      return WHOLE;
    }
    SealedPlaces places = NONE;
    if (object.get("properties") instanceof JsonObject properties) {
      Map<String, SealedPlaces> members = new TreeMap<>();
      properties.forEach((name, each) -> {
        SealedPlaces its = of(each);
        if (!its.isNone()) {
          members.put(name, its);
        }
      });
      places = new SealedPlaces(false, members, Optional.empty());
    }
    SealedPlaces items = of(object.get("items"));
    if (!items.isNone()) {
      places = new SealedPlaces(false, places.members, Optional.of(items));
    }
    if (object.get("allOf") instanceof JsonArray schemas) {
      for (JsonValue each : schemas) {
        places = places.and(of(each));
      }
    }
    return places;
  }

  private SealedPlaces and(SealedPlaces other) {
    if (isWhole || other.isWhole) {
      return WHOLE;
    }
    Map<String, SealedPlaces> all = new TreeMap<>(members);
    other.members.forEach((name, its) -> all.merge(name, its, SealedPlaces::and));
    return new SealedPlaces(false, all, elements.isEmpty() ? other.elements
        : Optional.of(other.elements.map(elements.get()::and).orElse(elements.get())));
  }

  public boolean isNone() {
    return !isWhole && members.isEmpty() && elements.isEmpty();
  }

  /** Whether the value at a path of members is sealed, is in a sealed one, or has one in it. */
  public boolean concerns(String... path) {
    SealedPlaces place = this;
    for (String name : path) {
      if (place.isWhole) {
        return true;
      }
      place = place.members.getOrDefault(name, NONE);
    }
    return !place.isNone();
  }

  /** Whether the value that a JSON pointer leads to is sealed, or is in a sealed one. */
  public boolean cover(String pointer) {
    SealedPlaces place = this;
    for (String segment : pointer.isEmpty() ? new String[0] : pointer.substring(1).split("/", -1)) {
      SealedPlaces member = place.members.get(segment.replace("~1", "/").replace("~0", "~"));
      SealedPlaces next = member == null ? place.elements.orElse(NONE) : member;
      if (place.isWhole) {
        return true;
      }
      place = next;
    }
    return place.isWhole;
  }

  /** The same document with what is at these places replaced. */
  public JsonValue replace(JsonValue document, UnaryOperator<JsonValue> seal) {
    if (isWhole) {
      return seal.apply(document);
    }
    if (document instanceof JsonObject object
        && members.keySet().stream().anyMatch(object::containsKey)) {
      JsonObjectBuilder changed = Json.build().createObjectBuilder(object);
      members.forEach((name, place) -> {
        if (object.containsKey(name)) {
          changed.add(name, place.replace(object.get(name), seal));
        }
      });
      return changed.build();
    }
    if (document instanceof JsonArray array && elements.isPresent()) {
      JsonArrayBuilder changed = Json.build().createArrayBuilder();
      array.forEach(each -> changed.add(elements.get().replace(each, seal)));
      return changed.build();
    }
    return document;
  }

  /**
   * As the functions of the database read it: {@code true} for the whole value, otherwise an object
   * with {@code properties}, by name, and {@code items}; null for none.
   */
  public JsonValue toJson() {
    if (isWhole) {
      return JsonValue.TRUE;
    }
    if (isNone()) {
      return JsonValue.NULL;
    }
    JsonObjectBuilder document = Json.build().createObjectBuilder();
    if (!members.isEmpty()) {
      JsonObjectBuilder properties = Json.build().createObjectBuilder();
      new TreeMap<>(members).forEach((name, place) -> properties.add(name, place.toJson()));
      document.add("properties", properties);
    }
    elements.ifPresent(place -> document.add("items", place.toJson()));
    return document.build();
  }
}
