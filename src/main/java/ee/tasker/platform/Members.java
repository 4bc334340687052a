package ee.tasker.platform;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.regex.Pattern;

/** Reads and copies members of JSON objects that a schema has judged, see {@link BodySchema}. */
public final class Members {
  private static final Pattern UUID_FORM = Pattern
      .compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private Members() {
  }

  /** Whether a member is not there, or null. */
  public static boolean isAbsent(JsonObject object, String key) {
    JsonValue value = object.get(key);
    return value == null || value == JsonValue.NULL;
  }

  /** A member that is a list of texts, each once; null when absent or null. */
  public static List<String> texts(JsonObject object, String key) {
    return object.get(key) instanceof JsonArray list
        ? list.getValuesAs(JsonString::getString).stream().distinct().toList() : null;
  }

  /** A member that is a whole number; null when absent or null. */
  public static Integer integer(JsonObject object, String key) {
    return object.get(key) instanceof JsonNumber number ? number.intValueExact() : null;
  }

  /** Those of these members that are there and not null. */
  public static JsonObjectBuilder given(JsonObject object, String... keys) {
    JsonObjectBuilder given = Json.build().createObjectBuilder();
    for (String key : keys) {
      addGiven(given, key, object.get(key));
    }
    return given;
  }

  /** Adds a member unless its value is null; what is no JSON, number or list as its text. */
  public static void addGiven(JsonObjectBuilder object, String name, Object value) {
    if (value instanceof JsonValue json) {
      if (json != JsonValue.NULL) {
        object.add(name, json);
      }
    } else if (value instanceof List<?> items) {
      object.add(name, Json.build().createArrayBuilder(items));
    } else if (value != null) {
      object.add(name, value.toString());
    }
  }

  /** Whether the text is a uuid in its long form; false for null. */
  public static boolean isUuid(String value) {
    return value != null && UUID_FORM.matcher(value).matches();
  }
}
