package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The schemas of request bodies are what bodies are checked by. */
class RequestSchemasTest {
  private static final Pattern USE = Pattern.compile(
      "(?:bodies\\s*\\.object\\(body,|BodySchema\\s*\\.of\\()\\s*\"(\\w+)\"[,)]");
  private static final JsonObject DOCUMENT = Json.parseObject(new OpenApiDocument().json());
  private static final JsonObject SCHEMAS = DOCUMENT.getJsonObject("components")
      .getJsonObject("schemas");
  private static final JsonArray VALUES = Json.parseArray("""
      [null, true, false, 0, 1, -1, 7, 60, 100, 101, 1000, 1001, 36500, 36501, 86401, 1000001, 1.5,
       "", " ", "a", "a b", "1.0.0", "1.0", "7", [], {}, [1], ["a"], [""], ["a", " "], [null],
       [{}], {"a": 1}, "success", "retry", "error", "manual_dlq", "all", "healthy"]
      """);

  static Stream<String> names() {
    return DOCUMENT.getJsonObject("paths").values().stream()
        .flatMap(path -> path.asJsonObject().values().stream())
        .filter(operation -> operation instanceof JsonObject object
            && object.containsKey("requestBody"))
        .map(operation -> operation.asJsonObject().getJsonObject("requestBody").toString())
        .flatMap(body -> Pattern.compile("#/components/schemas/(\\w+)").matcher(body).results())
        .map(found -> found.group(1)).distinct().sorted();
  }

  @Test
  void every_schema_of_a_body_is_used_and_no_other() throws Exception {
    Set<String> used = new TreeSet<>();
    try (var files = Files.walk(Path.of("src", "main", "java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        USE.matcher(Files.readString(file)).results().forEach(found -> used.add(found.group(1)));
      }
    }

    assertThat(used).hasSizeGreaterThan(35).containsExactlyInAnyOrderElementsOf(names().toList());
  }

  /**
   * Also asks the validator of the templates' schemas, which does not judge formats, of bodies that
   * differ from a right one by one member.
   */
  @ParameterizedTest
  @MethodSource("names")
  void verdicts_are_those_of_json_schema(String name) {
    BodySchema schema = BodySchema.of(name);
    ContextSchema reference = ContextSchema.compile(OpenApiSchemas.standalone(SCHEMAS,
        SCHEMAS.getJsonObject(name)));
    JsonObject right = example(SCHEMAS.getJsonObject(name)).asJsonObject();
    assertThat(reference.validate(right).complaints()).isEmpty();
    schema.check(right);

    List<JsonObject> bodies = new ArrayList<>();
    variants(right, SCHEMAS.getJsonObject(name), bodies);
    assertThat(bodies).hasSizeGreaterThan(20).allSatisfy(body -> assertThat(isValid(schema, body))
        .as(body.toString()).isEqualTo(reference.validate(body).complaints().isEmpty()));
  }

  private static boolean isValid(BodySchema schema, JsonObject body) {
    try {
      schema.check(body);
      return true;
    } catch (Problem invalid) {
      return false;
    }
  }

  private static void variants(JsonObject right, JsonObject schema, List<JsonObject> bodies) {
    bodies.add(Json.build().createObjectBuilder(right).add("colour", "red").build());
    schema.getJsonObject("properties").forEach((name, given) -> {
      JsonObject member = resolved(given.asJsonObject());
      // The reader says which of two must be there.
      if (!schema.containsKey("oneOf") && !schema.containsKey("minProperties")) {
        bodies.add(Json.build().createObjectBuilder(right).remove(name).build());
      }
      for (JsonValue value : values(member)) {
        boolean isFormatted = value instanceof JsonString && member.containsKey("format");
        boolean isChoice = schema.containsKey("oneOf")
            && (value == JsonValue.NULL || !right.containsKey(name))
            || value instanceof JsonArray array && !array.isEmpty() && member.get("items") != null
                && resolved(member.getJsonObject("items")).containsKey("oneOf");
        if (!isFormatted && !isChoice) {
          bodies.add(Json.build().createObjectBuilder(right).add(name, value).build());
        }
      }
      if (member.containsKey("properties")) {
        List<JsonObject> parts = new ArrayList<>();
        variants(example(member).asJsonObject(), member, parts);
        parts.forEach(part -> bodies.add(Json.build().createObjectBuilder(right).add(name, part)
            .build()));
      } else if (member.get("items") instanceof JsonObject items
          && resolved(items).containsKey("properties")) {
        List<JsonObject> parts = new ArrayList<>();
        variants(example(items).asJsonObject(), resolved(items), parts);
        parts.forEach(part -> bodies.add(Json.build().createObjectBuilder(right)
            .add(name, Json.build().createArrayBuilder().add(part)).build()));
      }
    });
  }

  private static List<JsonValue> values(JsonObject member) {
    List<JsonValue> values = new ArrayList<>(VALUES);
    if (member.get("maxLength") instanceof JsonNumber most) {
      values.add(Json.string("x".repeat(most.intValue())));
      values.add(Json.string("x".repeat(most.intValue() + 1)));
    }
    if (member.get("maxItems") instanceof JsonNumber most) {
      for (int size : new int[]{most.intValue(), most.intValue() + 1}) {
        var items = Json.build().createArrayBuilder();
        for (int i = 0; i < size; i++) {
          items.add(example(member.getJsonObject("items")));
        }
        values.add(items.build());
      }
    }
    return values;
  }

  private static JsonObject resolved(JsonObject schema) {
    return schema.containsKey("$ref")
        ? SCHEMAS.getJsonObject(schema.getString("$ref").replaceFirst(".*/", "")) : schema;
  }

  /** With what is required, and a role where a role or a permission is. */
  private static JsonValue example(JsonObject given) {
    JsonObject schema = resolved(given);
    if (schema.containsKey("enum")) {
      return schema.getJsonArray("enum").get(0);
    }
    String type = schema.get("type") instanceof JsonArray types ? types.getString(0)
        : schema.getString("type", "null");
    return switch (type) {
      case "string" -> Json.string(switch (schema.getString("format", "")) {
        case "uuid" -> "01900000-0000-7000-8000-000000000001";
        case "date-time" -> "2026-01-31T12:00:00Z";
        default -> "x".repeat(schema.getInt("minLength", 1));
      });
      case "integer" -> Json.provider().createValue(Math.max(1, schema.getInt("minimum", 1)));
      case "boolean" -> JsonValue.TRUE;
      case "array" -> Json.build().createArrayBuilder().add(example(schema.getJsonObject("items")))
          .build();
      case "object" -> {
        var object = Json.build().createObjectBuilder();
        if (schema.containsKey("oneOf")) {
          object.add("role", "viewer");
        }
        JsonArray required = schema.getJsonArray("required");
        for (JsonValue name : required == null ? JsonValue.EMPTY_JSON_ARRAY : required) {
          String member = ((JsonString) name).getString();
          object.add(member, example(schema.getJsonObject("properties").getJsonObject(member)));
        }
        if (schema.containsKey("minProperties") && required == null) {
          String member = schema.getJsonObject("properties").keySet().iterator().next();
          object.add(member, example(schema.getJsonObject("properties").getJsonObject(member)));
        }
        yield object.build();
      }
      default -> JsonValue.NULL;
    };
  }
}
