package ee.tasker.rest;

import ee.tasker.template.ContextSchema;
import jakarta.json.Json;
import jakarta.json.JsonObject;

/** Schemas of an OpenAPI document as JSON Schemas of their own. */
final class OpenApiSchemas {

  private OpenApiSchemas() {
  }

  static ContextSchema of(JsonObject document, JsonObject schema) {
    JsonObject standalone = Json.createObjectBuilder(schema)
        .add("$defs", document.getJsonObject("components").getJsonObject("schemas")).build();
    return ContextSchema
        .compile(standalone.toString().replace("#/components/schemas/", "#/$defs/"));
  }

  static ContextSchema of(JsonObject document, String name) {
    return of(document,
        Json.createObjectBuilder().add("$ref", "#/components/schemas/" + name).build());
  }
}
