package ee.tasker.samples;

import ee.tasker.handler.PermanentStepException;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the fields of a JSON object. A field that is missing or of the wrong type is a permanent
 * failure that names it: a
 * retry would not fix the caller's document. Absent and JSON null are the same here.
 */
public final class Fields {
  private final String path;
  private final JsonObject object;

  private Fields(String path, JsonObject object) {
    this.path = path;
    this.object = object;
  }

  /** @param path the object's name in messages, for instance {@code context} */
  public static Fields of(String path, JsonObject object) {
    return new Fields(path, object);
  }

  public boolean has(String key) {
    return value(key).isPresent();
  }

  public String text(String key) {
    return optionalText(key).orElseThrow(() -> wrong(key, "is missing"));
  }

  /** Empty as well when the text is blank. */
  public Optional<String> optionalText(String key) {
    return value(key)
        .map(value -> {
          if (value instanceof JsonString string) {
            return string.getString().strip();
          }
          throw wrong(key, "must be text");
        })
        .filter(text -> !text.isEmpty());
  }

  public BigDecimal number(String key) {
    JsonValue value = value(key).orElseThrow(() -> wrong(key, "is missing"));
    if (value instanceof JsonNumber number) {
      return number.bigDecimalValue();
    }
    throw wrong(key, "must be a number");
  }

  public int integer(String key) {
    try {
      return number(key).intValueExact();
    } catch (ArithmeticException e) {
      throw wrong(key, "must be a whole number");
    }
  }

  public boolean flag(String key, boolean otherwise) {
    return value(key)
        .map(value -> switch (value.getValueType()) {
          case TRUE -> true;
          case FALSE -> false;
          default -> throw wrong(key, "must be true or false");
        })
        .orElse(otherwise);
  }

  public JsonArray array(String key) {
    JsonValue value = value(key).orElseThrow(() -> wrong(key, "is missing"));
    if (value instanceof JsonArray array) {
      return array;
    }
    throw wrong(key, "must be an array");
  }

  public List<Fields> objects(String key) {
    List<Fields> objects = new ArrayList<>();
    for (JsonValue value : array(key)) {
      String element = path + "." + key + "[" + objects.size() + "]";
      if (!(value instanceof JsonObject each)) {
        throw new PermanentStepException("ValidationError", element + " must be an object");
      }
      objects.add(new Fields(element, each));
    }
    return List.copyOf(objects);
  }

  /** The permanent failure for an invalid field. */
  public PermanentStepException wrong(String key, String complaint) {
    return new PermanentStepException("ValidationError", path + "." + key + " " + complaint);
  }

  private Optional<JsonValue> value(String key) {
    return Optional.ofNullable(object.get(key))
        .filter(value -> value.getValueType() != JsonValue.ValueType.NULL);
  }
}
