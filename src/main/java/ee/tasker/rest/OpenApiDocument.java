package ee.tasker.rest;

import ee.tasker.platform.Json;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The OpenAPI document, as written and as JSON. Built at first use and cached. Thread-safe. */
@ApplicationScoped
public class OpenApiDocument {
  static final String RESOURCE = "META-INF/tasker/openapi.yaml";

  private volatile String yaml;
  private volatile String json;

  String yaml() {
    if (yaml == null) {
      yaml = read();
    }
    return yaml;
  }

  String json() {
    if (json == null) {
      json = toJson(
          new Load(LoadSettings.builder().setLabel(RESOURCE).build()).loadFromString(yaml()))
          .toString();
    }
    return json;
  }

  private static String read() {
    try (
        InputStream stream = OpenApiDocument.class.getClassLoader().getResourceAsStream(RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is not in the application");
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Keys keep their order; keys that YAML reads as numbers, such as statuses, become text. */
  static JsonValue toJson(Object node) {
    if (node instanceof Map<?, ?> map) {
      JsonObjectBuilder object = Json.build().createObjectBuilder();
      map.forEach((key, value) -> object.add(String.valueOf(key), toJson(value)));
      return object.build();
    }
    if (node instanceof Iterable<?> list) {
      JsonArrayBuilder array = Json.build().createArrayBuilder();
      list.forEach(value -> array.add(toJson(value)));
      return array.build();
    }
    if (node instanceof Boolean flag) {
      return flag ? JsonValue.TRUE : JsonValue.FALSE;
    }
    if (node instanceof Number number) {
      return Json.provider().createValue(new BigDecimal(number.toString()));
    }
    return node == null ? JsonValue.NULL : Json.string(node.toString());
  }
}
