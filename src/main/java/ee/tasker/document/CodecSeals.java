package ee.tasker.document;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** Seals and opens with a {@link DocumentCodec}. */
public final class CodecSeals implements Seals {
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final DocumentCodec codec;

  public CodecSeals(DocumentCodec codec) {
    this.codec = codec;
  }

  @Override
  public JsonValue seal(JsonValue document, SealedPlaces places, String namespace) {
    return places.isNone() ? document
        : places.replace(document,
            value -> Envelope.isOne(value) ? value : seal(value, namespace));
  }

  private JsonValue seal(JsonValue value, String namespace) {
    return known(() -> {
      String key = codec.currentKey(namespace);
      if (key == null || !KEY.matcher(key).matches()) {
        throw new IllegalStateException("the name of a key must match " + KEY + ", not " + key);
      }
      byte[] clear = value.toString().getBytes(StandardCharsets.UTF_8);
      return new Envelope(key, codec.seal(clear, key, namespace)).toJson();
    });
  }

  @Override
  public JsonValue open(JsonValue document, String namespace) {
    return replace(document, sealed -> known(() -> opened(sealed, namespace)));
  }

  private JsonValue opened(JsonValue sealed, String namespace) {
    try {
      Envelope envelope = Envelope.of(sealed);
      byte[] clear = codec.open(envelope.sealed(), envelope.key(), namespace);
      return Json.parse(new String(clear, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException | JsonException changed) {
      throw Problem.of(409, "document-not-opened",
          "what is sealed was changed, or was sealed for another namespace than " + namespace);
    }
  }

  private static JsonValue known(Supplier<JsonValue> call) {
    try {
      return call.get();
    } catch (UnknownKeyException missing) {
      throw Problem.of(503, "document-key-missing", missing.getMessage());
    }
  }

  private static JsonValue replace(JsonValue document, UnaryOperator<JsonValue> open) {
    if (Envelope.isOne(document)) {
      return open.apply(document);
    }
    if (document instanceof JsonObject object) {
      JsonObjectBuilder changed = null;
      for (Map.Entry<String, JsonValue> member : object.entrySet()) {
        JsonValue opened = replace(member.getValue(), open);
        if (opened != member.getValue()) {
          changed = changed == null ? Json.build().createObjectBuilder(object) : changed;
          changed.add(member.getKey(), opened);
        }
      }
      return changed == null ? object : changed.build();
    }
    if (document instanceof JsonArray array) {
      JsonArrayBuilder changed = null;
      for (int i = 0; i < array.size(); i++) {
        JsonValue opened = replace(array.get(i), open);
        if (opened != array.get(i)) {
          changed = changed == null ? Json.build().createArrayBuilder(array) : changed;
          changed.set(i, opened);
        }
      }
      return changed == null ? array : changed.build();
    }
    return document;
  }
}
