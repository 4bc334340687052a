package ee.tasker.template;

import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.spi.JsonProvider;
import java.io.StringReader;
import java.math.BigDecimal;

/**
 * JSON-P with cached providers: the static methods of {@code Json} search the class path on every
 * call.
 */
final class JsonText {
  private static final JsonProvider JSON = JsonProvider.provider();

  private JsonText() {}

  /** @throws jakarta.json.JsonException when it is not JSON */
  static JsonValue parse(String text) {
    try (var reader = JSON.createReader(new StringReader(text))) {
      return reader.readValue();
    }
  }

  static JsonObjectBuilder object() {
    return JSON.createObjectBuilder();
  }

  static JsonArrayBuilder array() {
    return JSON.createArrayBuilder();
  }

  static JsonString string(String value) {
    return JSON.createValue(value);
  }

  static JsonNumber number(BigDecimal value) {
    return JSON.createValue(value);
  }
}
