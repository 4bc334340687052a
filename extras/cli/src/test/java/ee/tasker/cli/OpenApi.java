package ee.tasker.cli;

import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.JakartaJsonNode;
import ee.tasker.client.Operation;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * The OpenAPI document of the product: what requests may have, and answers as it describes them.
 */
final class OpenApi {
  static final OpenApi DOCUMENT = new OpenApi();

  private final JsonObject document;
  private final Map<String, JsonObject> operations = new LinkedHashMap<>();
  private final Map<String, List<JsonObject>> parameters = new LinkedHashMap<>();

  private OpenApi() {
    try {
      document = json(new Load(LoadSettings.builder().build())
          .loadFromString(
              Files.readString(Path.of("../../src/main/resources/META-INF/tasker/openapi.yaml"))))
          .asJsonObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    document.getJsonObject("paths")
        .forEach((path, methods) -> methods.asJsonObject().forEach((method, described) -> {
          if (described instanceof JsonObject operation) {
            operations.put(operation.getString("operationId"), operation);
            List<JsonObject> all = new ArrayList<>();
            for (JsonObject from : List.of(methods.asJsonObject(), operation)) {
              if (from.containsKey("parameters")) {
                from.getJsonArray("parameters").getValuesAs(JsonObject.class)
                    .forEach(parameter -> all.add(resolved(parameter)));
              }
            }
            parameters.put(operation.getString("operationId"), all);
          }
        }));
  }

  /** The document in JSON, as the server answers it. */
  String text() {
    return document.toString();
  }

  /** What YAML calls a float may be a version or a number: texts are texts in this document. */
  private static JsonValue json(Object value) {
    if (value instanceof Map<?, ?> map) {
      JsonObjectBuilder object = Json.createObjectBuilder();
      map.forEach((key, member) -> object.add(String.valueOf(key), json(member)));
      return object.build();
    }
    if (value instanceof List<?> list) {
      JsonArrayBuilder array = Json.createArrayBuilder();
      list.forEach(item -> array.add(json(item)));
      return array.build();
    }
    return value == null ? JsonValue.NULL
        : value instanceof Boolean truth ? truth ? JsonValue.TRUE : JsonValue.FALSE
            : value instanceof Number number
                ? Json.createValue(new java.math.BigDecimal(number.toString()))
                : Json.createValue(value.toString());
  }

  private JsonObject resolved(JsonObject object) {
    JsonObject found = object;
    while (found.containsKey("$ref")) {
      JsonValue at = document;
      for (String name : found.getString("$ref").substring(2).split("/")) {
        at = at.asJsonObject().get(name);
      }
      found = at.asJsonObject();
    }
    return found;
  }

  /** The names of the parameters in the path. */
  TreeSet<String> path(Operation operation) {
    return names(operation, "path");
  }

  /** The names of the query parameters. */
  TreeSet<String> query(Operation operation) {
    return names(operation, "query");
  }

  private TreeSet<String> names(Operation operation, String place) {
    TreeSet<String> names = new TreeSet<>();
    parameters.get(operation.id()).stream()
        .filter(parameter -> parameter.getString("in").equals(place))
        .forEach(parameter -> names.add(parameter.getString("name")));
    return names;
  }

  TreeSet<String> requiredQuery(Operation operation) {
    TreeSet<String> names = new TreeSet<>();
    parameters.get(operation.id()).stream()
        .filter(parameter -> parameter.getString("in").equals("query")
            && parameter.getBoolean("required", false))
        .forEach(parameter -> names.add(parameter.getString("name")));
    return names;
  }

  /** The schema of the JSON body if it is an object; null if the operation has none. */
  private JsonObject body(Operation operation) {
    JsonObject body = operations.get(operation.id()).getJsonObject("requestBody");
    JsonObject content = body == null ? null : resolved(body).getJsonObject("content");
    return content == null || content.containsKey("application/yaml") ? null
        : content.getJsonObject("application/json").getJsonObject("schema");
  }

  /** The members of the JSON body, those of nested objects with dots. */
  TreeSet<String> members(Operation operation) {
    TreeSet<String> names = new TreeSet<>();
    JsonObject body = body(operation);
    if (body != null) {
      members(resolved(body), "", names);
    }
    return names;
  }

  private void members(JsonObject schema, String prefix, TreeSet<String> names) {
    JsonObject properties = schema.getJsonObject("properties");
    if (properties == null) {
      return;
    }
    properties.forEach((name, described) -> {
      JsonObject member = resolved(described.asJsonObject());
      if (member.containsKey("properties")) {
        members(member, prefix + name + ".", names);
      } else {
        names.add(prefix + name);
      }
    });
  }

  /**
   * The words that a query parameter or a member of the body is limited to, in the order of the
   * document; empty if it is not.
   *
   * @param member with dots where it is nested
   */
  List<String> words(Operation operation, String member) {
    JsonObject schema = parameters.get(operation.id()).stream()
        .filter(parameter -> parameter.getString("name").equals(member))
        .map(parameter -> parameter.getJsonObject("schema")).findFirst()
        .orElseGet(() -> member(body(operation), member));
    return schema == null ? List.of() : words(resolved(schema));
  }

  private JsonObject member(JsonObject body, String path) {
    JsonObject schema = body;
    for (String name : path.split("\\.")) {
      JsonObject properties = schema == null ? null : resolved(schema).getJsonObject("properties");
      schema = properties == null ? null : properties.getJsonObject(name);
    }
    return schema;
  }

  private List<String> words(JsonObject schema) {
    if (schema.containsKey("items")) {
      return words(resolved(schema.getJsonObject("items")));
    }
    if (schema.get("type") instanceof JsonString type && type.getString().equals("boolean")) {
      return List.of("true", "false");
    }
    for (String some : List.of("anyOf", "oneOf")) {
      if (schema.containsKey(some)) {
        return schema.getJsonArray(some).getValuesAs(JsonObject.class).stream()
            .flatMap(one -> words(resolved(one)).stream()).toList();
      }
    }
    return !schema.containsKey("enum") ? List.of()
        : schema.getJsonArray("enum").stream().filter(JsonString.class::isInstance)
            .map(word -> ((JsonString) word).getString()).toList();
  }

  TreeSet<String> requiredMembers(Operation operation) {
    JsonObject body = body(operation);
    TreeSet<String> names = new TreeSet<>();
    if (body != null && resolved(body).containsKey("required")) {
      resolved(body).getJsonArray("required").getValuesAs(JsonString.class)
          .forEach(name -> names.add(name.getString()));
    }
    return names;
  }

  /** What is wrong with the body of a request; empty if nothing is. */
  String complaints(Operation operation, String body) {
    JsonObject schema = body(operation);
    if (schema == null) {
      return "";
    }
    JsonObject standalone = Json.createObjectBuilder(schema)
        .add("$defs", document.getJsonObject("components").getJsonObject("schemas"))
        .build();
    var result = new ValidatorFactory().withJsonNodeFactory(new JakartaJsonNode.Factory())
        .validate(standalone.toString().replace("#/components/schemas/", "#/$defs/"), body);
    return result.isValid() ? "" : result.getErrors().toString();
  }

  /** Which operation a request is for; fails if there is none. */
  Operation operation(String method, String path) {
    for (Operation operation : Operation.values()) {
      if (operation.method().equals(method) && path
          .matches(operation.path().replace(".", "\\.").replaceAll("\\{[a-z_]+}", "[^/]+"))) {
        return operation;
      }
    }
    throw new AssertionError("no operation is " + method + " " + path);
  }

  /** An answer with all members that the document promises. */
  String answer(Operation operation) {
    JsonObject responses = operations.get(operation.id()).getJsonObject("responses");
    JsonObject response = responses.keySet().stream().filter(status -> status.startsWith("2"))
        .findFirst()
        .map(status -> resolved(responses.getJsonObject(status)))
        .orElseThrow();
    JsonObject content = response.getJsonObject("content");
    if (!content.containsKey("application/json")) {
      return "text";
    }
    return example(content.getJsonObject("application/json").getJsonObject("schema"), "")
        .toString();
  }

  private JsonValue example(JsonObject unresolved, String name) {
    JsonObject schema = resolved(unresolved);
    if (schema.containsKey("const")) {
      return schema.get("const");
    }
    if (schema.containsKey("enum")) {
      return schema.getJsonArray("enum").get(0);
    }
    for (String some : List.of("anyOf", "oneOf")) {
      if (schema.containsKey(some) && !schema.containsKey("properties")) {
        return example(
            schema.getJsonArray(some).getJsonObject(schema.getJsonArray(some).size() - 1), name);
      }
    }
    if (schema.containsKey("properties") || schema.containsKey("allOf")) {
      JsonObjectBuilder object = Json.createObjectBuilder();
      if (schema.containsKey("allOf")) {
        schema.getJsonArray("allOf").getValuesAs(JsonObject.class)
            .forEach(part -> example(part, name).asJsonObject().forEach(object::add));
      }
      if (schema.containsKey("properties")) {
        // The last page.
        schema.getJsonObject("properties")
            .forEach((member, described) -> object.add(member,
                member.equals("next") ? JsonValue.NULL
                    : example(described.asJsonObject(), member)));
      }
      return object.build();
    }
    JsonValue type = schema.get("type");
    String one = type instanceof JsonArray types ? types.getString(0)
        : type instanceof JsonString string ? string.getString() : "object";
    return switch (one) {
      case "array" -> Json.createArrayBuilder()
          .add(schema.containsKey("items") ? example(schema.getJsonObject("items"), name)
              : JsonValue.EMPTY_JSON_OBJECT)
          .build();
      case "integer" -> Json.createValue(7);
      case "number" -> Json.createValue(new java.math.BigDecimal("1.50"));
      case "boolean" -> JsonValue.TRUE;
      case "null" -> JsonValue.NULL;
      case "string" -> Json.createValue(switch (schema.getString("format", name)) {
        case "uuid" -> "01a1fc6e-c2c5-70dd-8baf-9fc43ba29188";
        case "date-time" -> "2026-11-21T04:47:17.259617+00:00";
        case "version" -> "1.0.0";
        default -> "text of " + name;
      });
      default -> JsonValue.EMPTY_JSON_OBJECT;
    };
  }
}
