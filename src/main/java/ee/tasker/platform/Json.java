package ee.tasker.platform;

import jakarta.json.JsonArray;
import jakarta.json.JsonBuilderFactory;
import jakarta.json.JsonConfig;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonReaderFactory;
import jakarta.json.JsonValue;
import jakarta.json.spi.JsonProvider;
import java.io.StringReader;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * JSON-P with cached providers: the static methods of {@code jakarta.json.Json} look up a provider
 * at every call.
 */
public final class Json {
  private static final JsonProvider PROVIDER = JsonProvider.provider();
  /**
   * Rejects duplicate members instead of dropping one. Allows numbers as long as PostgreSQL does;
   * Parsson's default is 1100
   * digits.
   */
  private static final JsonReaderFactory READERS = PROVIDER.createReaderFactory(Map.of(
      JsonConfig.KEY_STRATEGY, JsonConfig.KeyStrategy.NONE,
      "org.eclipse.parsson.maxBigDecimalLength", 200_000));
  private static final JsonBuilderFactory BUILDERS = PROVIDER.createBuilderFactory(Map.of());

  private Json() {
  }

  public static JsonBuilderFactory build() {
    return BUILDERS;
  }

  public static JsonProvider provider() {
    return PROVIDER;
  }

  /** @throws jakarta.json.JsonException when the text is not JSON */
  public static JsonValue parse(String text) {
    try (JsonReader reader = READERS.createReader(new StringReader(text))) {
      return reader.readValue();
    }
  }

  public static JsonObject parseObject(String text) {
    return parse(text).asJsonObject();
  }

  public static JsonArray parseArray(String text) {
    return parse(text).asJsonArray();
  }

  public static JsonValue string(String text) {
    return text == null ? JsonValue.NULL : PROVIDER.createValue(text);
  }

  /** A member that may be absent or null. */
  public static Optional<String> text(JsonObject object, String key) {
    return object.containsKey(key) && !object.isNull(key) ? Optional.of(object.getString(key))
        : Optional.empty();
  }

  public static UUID uuid(JsonObject object, String key) {
    return UUID.fromString(object.getString(key));
  }

  public static Optional<UUID> optionalUuid(JsonObject object, String key) {
    return text(object, key).map(UUID::fromString);
  }

  /** A member that is an object; the empty object when absent or null. */
  public static JsonObject object(JsonObject object, String key) {
    return object.get(key) instanceof JsonObject value ? value : JsonValue.EMPTY_JSON_OBJECT;
  }
}
