package ee.tasker.cli.convert;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Set;

/** The keys that a template may have, from the JSON Schema of templates, which is in this jar. */
final class TemplateKeys {
  private static final JsonObject SCHEMA = schema();

  private TemplateKeys() {
  }

  /** Those beside {@code steps}. */
  static Set<String> ofTemplate() {
    return SCHEMA.getJsonObject("properties").keySet();
  }

  /** @param part a definition of the schema: {@code step}, {@code retry} and so on */
  static Set<String> of(String part) {
    return SCHEMA.getJsonObject("$defs").getJsonObject(part).getJsonObject("properties").keySet();
  }

  private static JsonObject schema() {
    try (InputStream in = TemplateKeys.class.getResourceAsStream("template.schema.json");
        JsonReader reader = Json.createReader(in)) {
      return reader.readObject();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
