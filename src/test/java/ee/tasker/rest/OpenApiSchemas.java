package ee.tasker.rest;

import ee.tasker.template.ContextSchema;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Schemas of an OpenAPI document as JSON Schemas of their own. */
final class OpenApiSchemas {
  private static final String PREFIX = "#/components/schemas/";
  private static final Pattern REFERENCE = Pattern.compile("\"" + PREFIX + "(\\w+)");

  private OpenApiSchemas() {
  }

  static ContextSchema of(JsonObject document, JsonObject schema) {
    return ContextSchema
        .compile(standalone(document.getJsonObject("components").getJsonObject("schemas"), schema));
  }

  /**
   * With those of the document's schemas that this one leads to: with all of them it takes a
   * hundred times as long to compile.
   */
  static String standalone(JsonObject all, JsonObject schema) {
    Map<String, JsonValue> reached = new TreeMap<>();
    reach(schema, all, reached);
    return Json.createObjectBuilder(schema)
        .add("$defs", Json.createObjectBuilder(new TreeMap<String, Object>(reached))).build()
        .toString().replace(PREFIX, "#/$defs/");
  }

  private static void reach(JsonValue from, JsonObject all, Map<String, JsonValue> reached) {
    REFERENCE.matcher(from.toString()).results().map(reference -> reference.group(1))
        .forEach(name -> {
          if (reached.putIfAbsent(name, all.get(name)) == null) {
            reach(all.get(name), all, reached);
          }
        });
  }

  static ContextSchema of(JsonObject document, String name) {
    return of(document,
        Json.createObjectBuilder().add("$ref", "#/components/schemas/" + name).build());
  }
}
