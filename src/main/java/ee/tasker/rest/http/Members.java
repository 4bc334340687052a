package ee.tasker.rest.http;

import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Violations;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Reads the members of a body one by one and reports all violations together, including unknown
 * members.
 */
public final class Members {
  private final String prefix;
  private final JsonObject document;
  private final Violations violations;
  private final Set<String> known = new HashSet<>();

  /** Of a whole body. */
  public Members(JsonObject document) {
    this("", document, new Violations());
  }

  private Members(String prefix, JsonObject document, Violations violations) {
    this.prefix = prefix;
    this.document = document;
    this.violations = violations;
  }

  /** Adds a member unless its value is null; what is no JSON, number or list as its text. */
  public static void addGiven(JsonObjectBuilder object, String name, Object value) {
    if (value instanceof JsonValue json) {
      object.add(name, json);
    } else if (value instanceof List<?> items) {
      object.add(name, Json.build().createArrayBuilder(items));
    } else if (value instanceof Integer || value instanceof Long) {
      object.add(name, ((Number) value).longValue());
    } else if (value != null) {
      object.add(name, value.toString());
    }
  }

  /** Null when absent. */
  private JsonValue value(String name) {
    known.add(name);
    JsonValue value = document.get(name);
    return value == JsonValue.NULL ? null : value;
  }

  /** Whether the member is there and not null. */
  public boolean has(String name) {
    return value(name) != null;
  }

  /** Any JSON value, including a JSON null. */
  public JsonValue anything(String name) {
    known.add(name);
    JsonValue value = document.get(name);
    if (value == null) {
      wrong(name, "is required");
    } else {
      JsonbCheck.complaint(value).ifPresent(complaint -> wrong(name, complaint));
    }
    return value;
  }

  /** A text that must be there and is not blank; empty when it is wrong. */
  public String text(String name, int longest) {
    JsonValue value = value(name);
    if (value == null) {
      wrong(name, "is required");
      return "";
    }
    if (!(value instanceof JsonString text) || text.getString().isBlank()
        || text.getString().length() > longest) {
      wrong(name, "must be a string of 1 to " + longest + " characters that is not blank");
      return "";
    }
    JsonbCheck.complaint(text.getString()).ifPresent(complaint -> wrong(name, complaint));
    return text.getString();
  }

  /** Null when absent. */
  public String optionalText(String name, int longest) {
    return has(name) ? text(name, longest) : null;
  }

  /** One of these words, which must be there; empty when it is wrong. */
  public String word(String name, Set<String> words) {
    JsonValue value = value(name);
    if (value instanceof JsonString text && words.contains(text.getString())) {
      return text.getString();
    }
    wrong(name, value == null ? "is required"
        : "must be one of " + String.join(", ", new TreeSet<>(words)));
    return "";
  }

  /** The fallback when absent. */
  public String word(String name, Set<String> words, String fallback) {
    return has(name) ? word(name, words) : fallback;
  }

  /** Null when absent. */
  public Set<String> words(String name, Set<String> words) {
    JsonValue value = value(name);
    if (value == null) {
      return null;
    }
    if (value instanceof JsonArray array
        && array.stream().allMatch(
            item -> item instanceof JsonString text && words.contains(text.getString()))) {
      return array.getValuesAs(JsonString.class).stream().map(JsonString::getString)
          .collect(Collectors.toUnmodifiableSet());
    }
    wrong(name, "must be an array of " + String.join(", ", new TreeSet<>(words)));
    return null;
  }

  /** Null when absent. */
  public JsonObject object(String name) {
    JsonValue value = value(name);
    if (value == null || value instanceof JsonObject) {
      if (value != null) {
        JsonbCheck.complaint(value).ifPresent(complaint -> wrong(name, complaint));
      }
      return (JsonObject) value;
    }
    wrong(name, "must be an object");
    return null;
  }

  /** The members of an object; empty when absent. */
  public Members members(String name) {
    JsonObject object = object(name);
    return new Members(prefix + name + "/", object == null ? JsonValue.EMPTY_JSON_OBJECT : object,
        violations);
  }

  /**
   * The members of an object whose texts are {@linkplain JsonbCheck#cleaned(JsonValue) cleaned} and
   * not refused; empty when absent.
   */
  public Members cleaned(String name) {
    JsonValue value = value(name);
    if (value != null && !(value instanceof JsonObject)) {
      wrong(name, "must be an object");
    }
    JsonObject object = value instanceof JsonObject given ? JsonbCheck.cleaned(given).asJsonObject()
        : JsonValue.EMPTY_JSON_OBJECT;
    return new Members(prefix + name + "/", object, violations);
  }

  /** A text that is cut when it is too long; the fallback for one that is blank. */
  public String cutText(String name, int longest, String fallback) {
    JsonValue value = value(name);
    if (!(value instanceof JsonString text)) {
      wrong(name, value == null ? "is required" : "must be a string");
      return fallback;
    }
    return text.getString().isBlank() ? fallback : JsonbCheck.cleaned(text.getString(), longest);
  }

  /** The members of an object from another source; violations are reported under the given name. */
  public Members of(String name, JsonObject object) {
    return new Members(prefix + name + "/", object, violations);
  }

  /** Null when absent. */
  public List<String> texts(String name, int most, int longest) {
    JsonValue value = value(name);
    if (value == null) {
      return null;
    }
    if (!(value instanceof JsonArray array) || array.size() > most
        || !array.stream().allMatch(item -> item instanceof JsonString text
            && !text.getString().isBlank() && text.getString().length() <= longest)) {
      wrong(name,
          "must be an array of at most " + most + " strings of 1 to " + longest + " characters");
      return null;
    }
    JsonbCheck.complaint(value).ifPresent(complaint -> wrong(name, complaint));
    return array.getValuesAs(JsonString.class).stream().map(JsonString::getString).distinct()
        .toList();
  }

  /**
   * The members of each object in an array, to be read and then asked to {@link #refuseOthers};
   * empty when absent.
   */
  public List<Members> each(String name, int most) {
    JsonValue value = value(name);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof JsonArray array) || array.size() > most
        || !array.stream().allMatch(item -> item instanceof JsonObject)) {
      wrong(name, "must be an array of at most " + most + " objects");
      return List.of();
    }
    List<Members> each = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++) {
      each.add(new Members(prefix + name + "/" + i + "/", array.getJsonObject(i), violations));
    }
    return each;
  }

  /** Null when absent or wrong. */
  public UUID uuid(String name) {
    JsonValue value = value(name);
    if (value instanceof JsonString text && Parameters.isUuid(text.getString())) {
      return UUID.fromString(text.getString());
    }
    if (value != null) {
      wrong(name, "must be a uuid");
    }
    return null;
  }

  /** A member that must be there; the fallback when it is not, or is wrong. */
  public <T> T required(String name, T value, T fallback) {
    if (value == null && !has(name)) {
      wrong(name, "is required");
    }
    return value == null ? fallback : value;
  }

  /** False when absent. */
  public boolean flag(String name) {
    JsonValue value = value(name);
    if (value != null && value != JsonValue.TRUE && value != JsonValue.FALSE) {
      wrong(name, "must be true or false");
    }
    return value == JsonValue.TRUE;
  }

  /** Null when absent. */
  public Integer number(String name, int least, int most) {
    Long number = longNumber(name, least, most);
    return number == null ? null : number.intValue();
  }

  /** The fallback when absent or wrong. */
  public int number(String name, int least, int most, int fallback) {
    Integer number = number(name, least, most);
    return number == null ? fallback : number;
  }

  /** Null when absent. */
  public Long longNumber(String name, long least, long most) {
    JsonValue value = value(name);
    // Not as a long, in which 2^64 + 1 would be 1.
    if (value instanceof JsonNumber number && number.isIntegral()
        && number.bigDecimalValue().compareTo(BigDecimal.valueOf(least)) >= 0
        && number.bigDecimalValue().compareTo(BigDecimal.valueOf(most)) <= 0) {
      return number.longValue();
    }
    if (value != null) {
      wrong(name, "must be a whole number from " + least + " to " + most);
    }
    return null;
  }

  /** Adds a violation of a member; {@link #check} throws it with the others. */
  public void wrong(String name, String message) {
    violations.add(prefix + name, message);
  }

  /** Rejects unknown members; adds violations without throwing. */
  public void refuseOthers() {
    violations.addUnknown(prefix, document.keySet().stream().filter(name -> !known.contains(name)),
        String.join(", ", new TreeSet<>(known)));
  }

  /** @throws Problem 400 invalid-request with all violations */
  public void check() {
    refuseOthers();
    violations.check();
  }
}
