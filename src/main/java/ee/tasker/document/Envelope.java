package ee.tasker.document;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.Base64;

/**
 * A value that is sealed, as it stands in a document: {@code {"$sealed": {"key": …, "data": …}}},
 * with the bytes in Base64.
 */
record Envelope(String key, byte[] sealed) {
  private static final String MEMBER = "$sealed";

  /** Whether a value is one, for everything that reads documents. */
  static boolean isOne(JsonValue value) {
    return value instanceof JsonObject object && object.size() == 1
        && object.get(MEMBER) instanceof JsonObject inner && inner.size() == 2
        && inner.get("key") instanceof JsonString && inner.get("data") instanceof JsonString;
  }

  /** @throws IllegalArgumentException when its data are not Base64 */
  static Envelope of(JsonValue value) {
    JsonObject inner = value.asJsonObject().getJsonObject(MEMBER);
    return new Envelope(inner.getString("key"),
        Base64.getDecoder().decode(inner.getString("data")));
  }

  JsonObject toJson() {
    return Json.build().createObjectBuilder().add(MEMBER, Json.build().createObjectBuilder()
        .add("key", key).add("data", Base64.getEncoder().encodeToString(sealed))).build();
  }
}
