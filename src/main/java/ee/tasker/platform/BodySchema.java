package ee.tasker.platform;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A component schema of the OpenAPI document, compiled once, that request bodies are checked by: it
 * is the only description of their members, lengths, words and defaults. It knows the keywords that
 * these schemas use, and refuses to be compiled with others; {@code oneOf} is left to the reader of
 * the body, which can say what it means. A text or document of any place can be stored, see {@link
 * JsonbCheck}, unless the schema says {@code x-cleaned}: its reader then cleans it.
 *
 * <p>The validator of templates' schemas would take several times as long,
 * reports a missing member at the object around it, and does not judge formats.
 */
public final class BodySchema {
  private static final Set<String> KEYWORDS = Set.of("type", "description", "default", "required",
      "additionalProperties", "properties", "minProperties", "items", "minItems", "maxItems",
      "uniqueItems", "minLength", "maxLength", "pattern", "format", "enum", "minimum", "maximum",
      "oneOf", "examples", "x-cleaned");
  private static final BiConsumer<JsonObject, Violations> NO_RULES = (body, violations) -> {};
  private static final Map<String, BodySchema> COMPILED = new ConcurrentHashMap<>();

  private final Map<?, ?> source;
  private final String type;
  private final boolean isNullable;
  private final boolean isCleaned;
  private final Set<String> words;
  private final String format;
  private final Pattern pattern;
  private final long least;
  private final long most;
  private final BodySchema items;
  private final Map<String, BodySchema> members = new LinkedHashMap<>();
  private final Set<String> required;
  private final Map<String, JsonValue> defaults = new LinkedHashMap<>();
  private final String expected;

  private BodySchema(Map<?, ?> source) {
    this.source = source;
    if (!KEYWORDS.containsAll(source.keySet())) {
      throw new IllegalStateException("no request body is checked by all of " + source.keySet());
    }
    Set<String> types = texts(source.get("type") instanceof String one ? List.of(one)
        : source.get("type"));
    isNullable = types.remove("null");
    type = types.isEmpty() ? "anything" : types.iterator().next();
    isCleaned = source.containsKey("x-cleaned");
    words = texts(source.get("enum"));
    words.remove("null");
    format = String.valueOf(source.get("format"));
    pattern = source.get("pattern") instanceof String given
        ? Pattern.compile(given.replaceFirst("\\$$", "\\\\z")) : null;
    least = bound("minLength", "minItems", "minProperties", "minimum", 0);
    most = bound("maxLength", "maxItems", "", "maximum",
        "int64".equals(format) ? Long.MAX_VALUE : Integer.MAX_VALUE);
    items = source.get("items") instanceof Map<?, ?> each ? of(each) : null;
    required = texts(source.get("required"));
    if (source.get("properties") instanceof Map<?, ?> properties) {
      properties.forEach((name, schema) -> members.put((String) name, of((Map<?, ?>) schema)));
    }
    members.forEach((name, member) -> {
      Object value = member.source.get("default");
      if (value != null) {
        defaults.put(name, value instanceof Boolean flag ? flag ? JsonValue.TRUE : JsonValue.FALSE
            : value instanceof Integer number ? Json.provider().createValue(number)
                : Json.string((String) value));
      }
    });
    expected = expected();
  }

  /** @param name of the component */
  public static BodySchema of(String name) {
    BodySchema known = COMPILED.get(name);
    if (known == null) {
      known = new BodySchema(ComponentSchemas.of(name));
      COMPILED.put(name, known);
    }
    return known;
  }

  private static BodySchema of(Map<?, ?> schema) {
    return ComponentSchemas.referenced(schema).map(BodySchema::of)
        .orElseGet(() -> new BodySchema(schema));
  }

  private static Set<String> texts(Object list) {
    return list instanceof List<?> given ? given.stream().map(String::valueOf)
        .collect(Collectors.toCollection(TreeSet::new)) : new TreeSet<>();
  }

  private long bound(String ofText, String ofArray, String ofObject, String ofNumber, long none) {
    Object bound = source.get(switch (type) {
      case "string" -> ofText;
      case "array" -> ofArray;
      case "object" -> ofObject;
      default -> ofNumber;
    });
    return bound instanceof Number number ? number.longValue() : none;
  }

  /** As the rest of a sentence that begins with the name of the member. */
  private String expected() {
    String range = (least > 0 ? least + " to " : "at most ") + most;
    boolean isBounded = most < Integer.MAX_VALUE;
    return "must be " + switch (type) {
      case "string" -> !words.isEmpty() ? "one of " + String.join(", ", words)
          : switch (format) {
            case "uuid" -> "a uuid";
            case "date-time" -> "a date and time with an offset, of the years 0001 to 9999 in UTC,"
                + " as in 2026-01-31T12:00:00Z";
            default -> "a string" + (isBounded ? " of " + range + " characters" : "")
                + (pattern == null ? "" : "\\S".equals(pattern.pattern()) ? " that is not blank"
                    : " that matches " + source.get("pattern"));
          };
      case "integer" -> "a whole number from " + least + " to " + most;
      case "boolean" -> "true or false";
      case "array" -> "an array" + (isBounded ? " of " + range + " elements" : "")
          + ("anything".equals(items.type) ? "" : ", of which each " + items.expected);
      default -> "an object" + (least == 0 ? ""
          : " with at least one of " + String.join(", ", new TreeSet<>(members.keySet())));
    };
  }

  /**
   * The body with the defaults of the members that are absent or null.
   *
   * @throws Problem as {@link #check}
   */
  public JsonObject read(JsonObject body) {
    return read(body, NO_RULES);
  }

  /** @throws Problem as {@link #check(JsonObject, BiConsumer)} */
  public JsonObject read(JsonObject body, BiConsumer<JsonObject, Violations> rules) {
    check(body, rules);
    JsonObjectBuilder completed = null;
    for (var member : defaults.entrySet()) {
      if (Members.isAbsent(body, member.getKey())) {
        completed = completed == null ? Json.build().createObjectBuilder(body) : completed;
        completed.add(member.getKey(), member.getValue());
      }
    }
    return completed == null ? body : completed.build();
  }

  /** @throws Problem 400 invalid-request with all violations */
  public void check(JsonObject body) {
    check(body, NO_RULES);
  }

  /**
   * @param rules that the schema cannot say, such as those over several members; they are asked
   *              about every body, so that all violations are reported at once, and meet members
   *              that are absent or of a wrong type
   * @throws Problem 400 invalid-request with all violations
   */
  public void check(JsonObject body, BiConsumer<JsonObject, Violations> rules) {
    Violations violations = new Violations();
    checkObject("", body, violations);
    rules.accept(body, violations);
    violations.check();
  }

  /** The names of all members. */
  public Set<String> names() {
    return members.keySet();
  }

  /**
   * The same of a part of a body, such as the parameters of a request without one: what is not
   * there is not missed.
   */
  public JsonObject part(JsonObject given, BiConsumer<JsonObject, Violations> rules) {
    Violations violations = new Violations();
    checkMembers("", given, violations);
    rules.accept(given, violations);
    violations.check();
    return given;
  }

  private void check(String field, JsonValue value, Violations violations) {
    if (value == JsonValue.NULL && isNullable) {
      return;
    }
    if (value instanceof JsonObject object && !members.isEmpty()) {
      if (object.size() < least) {
        violations.add(field, expected);
      }
      checkObject(field + "/", object, violations);
    } else if (value instanceof JsonArray array && items != null && !items.members.isEmpty()
        && array.size() >= least && array.size() <= most
        && array.stream().allMatch(JsonObject.class::isInstance)) {
      for (int i = 0; i < array.size(); i++) {
        items.check(field + "/" + i, array.get(i), violations);
      }
    } else {
      String complaint = complaint(value);
      if (complaint != null) {
        violations.add(field, complaint);
      }
    }
  }

  private void checkObject(String prefix, JsonObject object, Violations violations) {
    for (String name : required) {
      JsonValue value = object.get(name);
      BodySchema member = members.get(name);
      if (value == null || value == JsonValue.NULL && !member.isNullable
          && !"anything".equals(member.type)) {
        violations.add(prefix + name, "is required");
      }
    }
    checkMembers(prefix, object, violations);
  }

  private void checkMembers(String prefix, JsonObject object, Violations violations) {
    boolean hasOthers = false;
    for (var member : object.entrySet()) {
      BodySchema schema = members.get(member.getKey());
      if (schema == null) {
        hasOthers = true;
      } else if (member.getValue() != JsonValue.NULL || !required.contains(member.getKey())) {
        schema.check(prefix + member.getKey(), member.getValue(), violations);
      }
    }
    if (hasOthers) {
      violations.addUnknown(prefix, object.keySet(), members.keySet());
    }
  }

  /** Null when there is none. */
  private String complaint(JsonValue value) {
    boolean fits = switch (type) {
      case "string" -> value instanceof JsonString text && fits(text.getString());
      // Not as a long, in which 2^64 + 1 would be 1.
      case "integer" -> value instanceof JsonNumber number && number.isIntegral()
          && number.bigDecimalValue().compareTo(BigDecimal.valueOf(least)) >= 0
          && number.bigDecimalValue().compareTo(BigDecimal.valueOf(most)) <= 0;
      case "boolean" -> value == JsonValue.TRUE || value == JsonValue.FALSE;
      case "array" -> value instanceof JsonArray array && array.size() >= least
          && array.size() <= most;
      case "object" -> value instanceof JsonObject;
      default -> true;
    };
    if (!fits) {
      return expected;
    }
    if (value instanceof JsonArray array && items != null) {
      for (JsonValue each : array) {
        String complaint = items.complaint(each);
        if (complaint != null) {
          return complaint.equals(items.expected) ? expected : complaint;
        }
      }
      return null;
    }
    return isCleaned ? null : JsonbCheck.complaint(value).orElse(null);
  }

  private boolean fits(String text) {
    return text.length() >= least && text.length() <= most
        && (words.isEmpty() || words.contains(text))
        && (pattern == null || pattern.matcher(text).find())
        && switch (format) {
          case "uuid" -> Members.isUuid(text);
          case "date-time" -> StorableTime.parse(text).isPresent();
          default -> true;
        };
  }
}
