package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.harrel.jsonschema.EvaluatorFactory;
import dev.harrel.jsonschema.FormatEvaluatorFactory;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.JakartaJsonNode;
import ee.tasker.rest.http.StaleReadsFilter;
import ee.tasker.testing.server.Answer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Validates responses against the OpenAPI document of a server: status, headers, media type and
 * body, with formats checked and no undescribed properties
 * allowed. It records which responses it has seen.
 */
final class Contract {
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
  private static final String PROBLEM = "application/problem+json";
  /** What the answer {@code default} of every operation stands for. */
  private static final Set<String> BY_DEFAULT = Set.of("no-such-path", "method-not-allowed",
      "not-acceptable", "internal-error");

  private final JsonObject document;
  private final Map<String, Operation> operations = new LinkedHashMap<>();
  private final Map<String, Schema> compiled = new TreeMap<>();
  private final Map<String, Set<Integer>> seen = new TreeMap<>();
  private final Set<String> codes;

  /** @param parameters by name, with a schema each; their {@code in} says where they are */
  record Operation(String id, String method, String path, JsonObject value,
      Map<String, JsonObject> parameters) {

    boolean isUnderV1() {
      return path.startsWith("/v1/");
    }

    boolean hasBody() {
      return value.containsKey("requestBody");
    }

    Stream<JsonObject> parameters(String in) {
      return parameters.values().stream().filter(parameter -> in.equals(parameter.getString("in")));
    }

    boolean describes(int status) {
      return value.getJsonObject("responses").containsKey(Integer.toString(status));
    }

    @Override
    public String toString() {
      return id + " (" + method + " " + path + ")";
    }
  }

  private record Schema(Validator validator, URI uri) {
  }

  Contract(JsonObject document) {
    this.document = document;
    document.getJsonObject("paths")
        .forEach((path, item) -> item.asJsonObject().forEach((method, value) -> {
          if (METHODS.contains(method)) {
            Map<String, JsonObject> parameters = new LinkedHashMap<>();
            Stream.of(item.asJsonObject(), value.asJsonObject())
                .filter(holder -> holder.containsKey("parameters"))
                .flatMap(holder -> holder.getJsonArray("parameters").getValuesAs(JsonObject.class)
                    .stream())
                .map(this::resolved)
                .forEach(parameter -> parameters.put(parameter.getString("name"), parameter));
            Operation operation = new Operation(value.asJsonObject().getString("operationId"),
                method.toUpperCase(Locale.ROOT), path, value.asJsonObject(), parameters);
            operations.put(operation.id(), operation);
          }
        }));
    codes = document.getJsonObject("components").getJsonObject("schemas").getJsonObject("Problem")
        .getJsonArray("x-codes")
        .getValuesAs(JsonObject.class)
        .stream().map(code -> code.getInt("status") + " " + code.getString("code"))
        .collect(Collectors.toUnmodifiableSet());
  }

  List<Operation> operations() {
    return List.copyOf(operations.values());
  }

  Operation operation(String id) {
    return operations.get(id);
  }

  /** The statuses that an operation answered. */
  Set<Integer> seen(Operation operation) {
    return seen.getOrDefault(operation.id(), Set.of());
  }

  JsonObject resolved(JsonObject node) {
    return node.containsKey("$ref")
        ? document.getValue(node.getString("$ref").substring(1)).asJsonObject() : node;
  }

  /** What is wrong with a value by a schema of the document. */
  List<String> violations(JsonObject schema, JsonValue value) {
    Schema judge = compiled.computeIfAbsent(schema.toString(), this::compile);
    Validator.Result result = judge.validator().validate(judge.uri(), (Object) value);
    return result.isValid() ? List.of()
        : result.getErrors().stream()
            .map(error -> error.getInstanceLocation() + " " + error.getError()).toList();
  }

  private Schema compile(String schema) {
    Validator validator = new ValidatorFactory().withJsonNodeFactory(new JakartaJsonNode.Factory())
        .withEvaluatorFactory(EvaluatorFactory.compose(new FormatEvaluatorFactory()))
        .createValidator();
    JsonObject schemas = document.getJsonObject("components").getJsonObject("schemas");
    // RFC 9457 lets problems have more members; those that we have are described.
    JsonObject closed = Json.createObjectBuilder(schemas)
        .add("Problem", Json.createObjectBuilder(schemas.getJsonObject("Problem"))
            .add("additionalProperties", false))
        .build();
    JsonObject open = Json.createReader(new java.io.StringReader(schema)).readObject();
    return new Schema(validator,
        validator.registerSchema(OpenApiSchemas.standalone(closed, open)));
  }

  /** Fails the test unless the document says that this may be answered. */
  void check(Operation operation, Answer answer) {
    JsonObject responses = operation.value().getJsonObject("responses");
    String status = Integer.toString(answer.status());
    boolean isByDefault = !responses.containsKey(status) && responses.containsKey("default")
        && BY_DEFAULT.contains(code(answer));
    assertThat(isByDefault || responses.containsKey(status))
        .as("%s has no documented response %s", operation, answer).isTrue();
    JsonObject response = resolved(responses.getJsonObject(isByDefault ? "default" : status));
    JsonObject contents = response.getJsonObject("content");
    String type = answer.header("Content-Type").replaceAll("\\s*;.*", "");
    assertThat(contents.keySet()).as("%s answers %s of a described kind", operation, answer)
        .contains(type);
    if (type.endsWith("json")) {
      assertThat(violations(contents.getJsonObject(type).getJsonObject("schema"), answer.json()))
          .as("%s answers as described: %s", operation, answer).isEmpty();
    }
    if (answer.status() < 500 && response.containsKey("headers")) {
      assertThat(response.getJsonObject("headers").keySet()).as("%s: %s", operation, answer)
          // Only of an answer that a standby gave: see ReplicaIT.
          .filteredOn(header -> !header.equals(StaleReadsFilter.STALENESS))
          .allSatisfy(header -> assertThat(answer.header(header)).as(header).isNotEmpty());
    }
    if (type.equals(PROBLEM)) {
      assertThat(answer.object().getInt("status")).isEqualTo(answer.status());
      assertThat(answer.text("type")).isEqualTo("urn:tasker:problem:" + code(answer));
      assertThat(codes).as("%s", answer).contains(status + " " + code(answer));
      assertThat(response.getString("description"))
          .as("the description of %s of %s names its codes", status, operation)
          .contains("`" + code(answer) + "`");
    }
    seen.computeIfAbsent(operation.id(), id -> new TreeSet<>()).add(answer.status());
  }

  private static String code(Answer answer) {
    return answer.header("Content-Type").startsWith(PROBLEM)
        && answer.object().get("code") instanceof JsonString code ? code.getString()
            : "";
  }

  /** What is wrong with a request that is meant to be right, by the document. */
  List<String> complaints(Operation operation, Map<String, String> query, String mediaType,
      String body) {
    List<String> complaints = new ArrayList<>();
    query.forEach((name, value) -> {
      JsonObject parameter = operation.parameters().get(name);
      if (parameter == null || !"query".equals(parameter.getString("in"))) {
        complaints.add("there is no parameter " + name);
      } else if (parameter.getJsonObject("schema").getString("type", "").equals("array")) {
        // Given once, and so a list of one.
        if (violations(parameter.getJsonObject("schema"),
            Json.createArrayBuilder().add(value).build()).size() > 0) {
          complaints.add(name + " does not fit");
        }
      } else if (violations(parameter.getJsonObject("schema"), Json.createValue(value)).size() > 0
          && (!value.matches("\\d+|true|false")
              || violations(parameter.getJsonObject("schema"),
                  Json.createReader(new java.io.StringReader(value)).readValue())
                  .size() > 0)) {
        complaints.add(name + " does not fit");
      }
    });
    operation.parameters("query")
        .filter(parameter -> parameter.getBoolean("required", false)
            && !query.containsKey(parameter.getString("name")))
        .forEach(parameter -> complaints
            .add("there has to be a parameter " + parameter.getString("name")));
    if (operation.hasBody()) {
      JsonObject content = resolved(operation.value().getJsonObject("requestBody"))
          .getJsonObject("content").getJsonObject(mediaType);
      if (content == null) {
        complaints.add("there is no body of type " + mediaType);
      } else if (mediaType.endsWith("json")) {
        complaints.addAll(violations(content.getJsonObject("schema"),
            Json.createReader(new java.io.StringReader(body)).readValue()));
      }
    } else if (body != null) {
      complaints.add("there is no body");
    }
    return complaints;
  }
}
