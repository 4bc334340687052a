package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.engine.model.Outcome;
import ee.tasker.engine.model.TaskState;
import ee.tasker.remote.WorkerResult;
import ee.tasker.rest.http.ForEveryCaller;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestKeys;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.StaleReadsFilter;
import ee.tasker.rest.task.SelectsTasks;
import ee.tasker.rest.task.TaskFilter;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.servlet.annotation.WebServlet;
import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import java.io.InputStream;
import java.io.StringReader;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code openapi.yaml} says what the resources do, no more and no less. */
class OpenApiContractTest {
  private static final java.nio.file.Path SOURCES = java.nio.file.Path.of("src", "main", "java",
      "ee", "tasker");
  private static final List<Class<? extends Annotation>> METHODS = List.of(GET.class, POST.class,
      PUT.class, PATCH.class, DELETE.class);

  /** What tables and functions of the seeds call something that has another name here. */
  private static final Set<String> OTHER_NAMES = Set.of("workflow_step_uuid", "named_step_uuid",
      "named_task_uuid", "namespace_name",
      "task_name", "template_name",
      "step_name", "current_state", "task_version", "next_cursor");

  private static final JsonObject DOCUMENT = read();

  private final JsonObject document = DOCUMENT;

  private record Operation(Set<String> query, Set<String> path, Set<String> headers,
      Set<String> consumes, Set<String> produces) {
  }

  @Test
  void every_resource_method_is_described_and_nothing_else_is() throws Exception {
    Map<String, Operation> described = described();
    described.keySet().removeIf(operation -> !operation.contains(" /v1/"));

    assertThat(described).containsExactlyInAnyOrderEntriesOf(implemented());
  }

  @Test
  void every_resource_is_served() throws Exception {
    assertThat(new RestApplication().getClasses()).containsAll(resources());
  }

  @Test
  void every_operation_that_acts_takes_an_idempotency_key() {
    assertThat(described().entrySet())
        .filteredOn(operation -> !operation.getKey().startsWith("GET"))
        .filteredOn(operation -> !operation.getValue().headers().contains(RequestKeys.HEADER))
        // Answers about users and keys have secrets, which are not kept; a name is taken once, and
        // the rest is the same when it is done twice.
        .filteredOn(operation -> !operation.getKey().contains(" /v1/access/"))
        // Results and heartbeats name handoffs, which make a repetition harmless; a claim has a
        // request_id.
        .filteredOn(operation -> !operation.getKey().startsWith("POST /v1/workers/{worker_uuid}/"))
        // What was opened is not kept in clear for a repetition; a second record does no harm.
        .filteredOn(operation -> !operation.getKey().endsWith("/open"))
        .extracting(Map.Entry::getKey).containsExactly("POST /v1/templates/validate");
  }

  @Test
  void what_is_beside_the_resources_is_described() {
    Set<String> beside = new TreeSet<>(document.getJsonObject("paths").keySet());
    beside.removeIf(path -> path.startsWith("/v1/"));

    assertThat(beside).containsExactly("/", "/health", "/health/live", "/health/ready",
        "/health/started", "/metrics", "/openapi",
        "/openapi.yaml");
    assertThat(MetricsServlet.class.getAnnotation(WebServlet.class).value())
        .containsExactly("/metrics");
    assertThat(OpenApiServlet.class.getAnnotation(WebServlet.class).value())
        .containsExactly("/openapi", "/openapi.yaml");
  }

  @Test
  void every_problem_code_in_the_sources_is_described_with_its_status_and_nothing_else_is()
      throws Exception {
    Set<String> thrown = new TreeSet<>();
    for (String source : sources()) {
      // Problem.of(404, "task-not-found", new Problem(409, …, and the table of FaultMapper
      thrown.addAll(matches("\\b([45]\\d\\d),\\s+\"([a-z]+(?:-[a-z]+)+)\"", source,
          found -> found.group(1) + " " + found.group(2)));
      thrown.addAll(matches("\\b(503),\\s+\"(unavailable)\"", source,
          found -> found.group(1) + " " + found.group(2)));
    }
    Set<String> described = at("components/schemas/Problem").getJsonArray("x-codes")
        .getValuesAs(JsonObject.class).stream()
        .map(code -> code.getInt("status") + " " + code.getString("code"))
        .collect(Collectors.toCollection(TreeSet::new));

    assertThat(described).isEqualTo(thrown).hasSizeGreaterThan(15);
    Set<String> codes = described.stream().map(code -> code.substring(4))
        .collect(Collectors.toCollection(TreeSet::new));
    codes.add("refused");
    assertThat(texts(at("components/schemas/ProblemCode").getJsonArray("enum"))).isEqualTo(codes);
  }

  @Test
  void states_are_those_of_the_code() {
    assertThat(texts(at("components/schemas/TaskState").getJsonArray("enum")))
        .isEqualTo(new TreeSet<>(TaskState.words()));
  }

  @Test
  void recorded_outcomes_are_those_of_the_database() {
    assertThat(texts(at("components/schemas/RecordedOutcome").getJsonArray("enum")))
        .containsExactlyInAnyOrderElementsOf(Sql.open()
            .texts("select unnest(enum_range(null::tasker.step_outcome))"));
  }

  @Test
  void outcomes_of_workers_are_those_of_the_code() {
    Set<String> words = Stream.of(Outcome.values()).map(Outcome::word)
        .collect(Collectors.toCollection(TreeSet::new));
    words.addAll(List.of(WorkerResult.RELEASED, WorkerResult.DECLINED));

    assertThat(texts(at("components/schemas/WorkerResult/properties/outcome").getJsonArray("enum")))
        .isEqualTo(words);
  }

  @Test
  void every_reference_leads_somewhere_and_every_component_is_used() {
    Set<String> references = new LinkedHashSet<>(
        matches("\"\\$ref\":\"#/([^\"]+)\"", document.toString(), found -> found.group(1)));

    assertThat(references).isNotEmpty()
        .allSatisfy(reference -> assertThat(at(reference)).isNotNull());
    document.getJsonObject("components").forEach((kind, components) -> {
      if (!"securitySchemes".equals(kind)) {
        assertThat(components.asJsonObject().keySet())
            .allSatisfy(name -> assertThat(references).contains("components/" + kind + "/" + name));
      }
    });
  }

  @Test
  void every_operation_names_the_permission_that_its_method_requires_and_the_answers_to_who_lacks_it()
      throws Exception {
    Map<String, String> described = new TreeMap<>();
    document.getJsonObject("paths")
        .forEach((path, item) -> item.asJsonObject().forEach((method, value) -> {
          if (path.startsWith("/v1/") && value instanceof JsonObject operation
              && operation.containsKey("responses")) {
            described.put(method.toUpperCase(java.util.Locale.ROOT) + " " + path,
                operation.getString("x-permission", "every caller"));
            assertThat(operation.containsKey("security")).as(path).isFalse();
            assertThat(operation.getJsonObject("responses").keySet()).as(path).contains("401")
                .contains(operation.containsKey("x-permission") ? "403" : "401");
          }
        }));
    Map<String, String> required = new TreeMap<>();
    for (Class<?> resource : resources()) {
      for (Method method : resource.getDeclaredMethods()) {
        for (Class<? extends Annotation> verb : METHODS) {
          if (method.isAnnotationPresent(verb)) {
            Requires requires = method.getAnnotation(Requires.class);
            assertThat(requires != null || method.isAnnotationPresent(ForEveryCaller.class))
                .as(method + " says who may call it").isTrue();
            required.put(verb.getSimpleName() + " " + path(resource, method),
                requires == null ? "every caller" : requires.value().text());
          }
        }
      }
    }

    assertThat(described).containsExactlyInAnyOrderEntriesOf(required).hasSizeGreaterThan(35);
    assertThat(document.getJsonArray("security").getValuesAs(JsonObject.class).stream()
        .flatMap(scheme -> scheme.keySet().stream()))
        .containsExactlyInAnyOrderElementsOf(
            document.getJsonObject("components").getJsonObject("securitySchemes").keySet());
  }

  /**
   * {@code docs/glossary.md} has the names that tables and the functions of the seeds use beside
   * these.
   */
  @Test
  void every_concept_has_one_name() {
    Set<String> members = new TreeSet<>(
        matches("\"([a-z_]+)\":\\{\"(?:type|\\$ref|anyOf|description|const)\"",
            document.getJsonObject("components").toString(), found -> found.group(1)));
    Set<String> parameters = described().values().stream()
        .flatMap(operation -> Stream.of(operation.query(), operation.path()))
        .flatMap(Set::stream).collect(Collectors.toCollection(TreeSet::new));

    assertThat(members).contains("task_uuid", "step_uuid", "template_uuid", "namespace", "name",
        "version", "step", "state", "result",
        "next", "queue_name");
    assertThat(members).doesNotContainAnyElementsOf(OTHER_NAMES);
    assertThat(parameters)
        .contains("task_uuid", "step_uuid", "namespace", "name", "version", "queue_name", "cursor")
        .doesNotContainAnyElementsOf(OTHER_NAMES).doesNotContain("template", "queue");
  }

  @Test
  void every_answer_is_an_object_and_every_list_has_next() {
    Set<String> lists = new TreeSet<>();
    document.getJsonObject("paths")
        .forEach((path, item) -> item.asJsonObject().forEach((method, value) -> {
          if (path.startsWith("/v1/") && value instanceof JsonObject operation
              && operation.containsKey("responses")) {
            operation.getJsonObject("responses").forEach((status, response) -> {
              JsonObject content = resolved(response.asJsonObject()).getJsonObject("content");
              if (content == null || !content.containsKey("application/json")) {
                return;
              }
              JsonObject schema = content.getJsonObject("application/json").getJsonObject("schema");
              List<JsonObject> forms = Stream.of("oneOf", "anyOf").filter(schema::containsKey)
                  .findFirst()
                  .map(kind -> schema.getJsonArray(kind).getValuesAs(JsonObject.class))
                  .orElse(List.of(schema)).stream().map(this::resolved)
                  .toList();
              assertThat(forms).as(method + " " + path).isNotEmpty()
                  .allSatisfy(form -> assertThat(
                      form.containsKey("allOf") || "object".equals(form.getString("type", "")))
                      .isTrue());
              if ("get".equals(method) && isList(path, operation)) {
                lists.add(operation.getString("operationId"));
                assertThat(texts(resolved(schema).getJsonArray("required"))).as(path)
                    .contains("next");
              }
            });
          }
        }));

    assertThat(lists)
        .contains("listTasks", "listSteps", "auditStep", "listTemplates", "listPauses",
            "listQueues", "listServers",
            "getTaskHistory", "getStaleness",
            "getInvestigationQueue", "getDeadLetterStatistics", "listHandlers", "listUsers")
        .hasSizeGreaterThan(18);
  }

  /** A path that ends in a plural or in what has many, or an operation that takes a cursor. */
  private boolean isList(String path, JsonObject operation) {
    return operation.getString("operationId").startsWith("list")
        || Set
            .of("auditStep", "getTaskHistory", "getInvestigationQueue", "getStaleness",
                "getDeadLetterStatistics")
            .contains(operation.getString("operationId"))
        || operation.toString().contains("\"name\":\"cursor\"");
  }

  @Test
  void every_schema_is_one() {
    Set<String> names = document.getJsonObject("components").getJsonObject("schemas").keySet();

    assertThat(names).hasSizeGreaterThan(100)
        .allSatisfy(name -> assertThat(OpenApiSchemas.of(document, name)).isNotNull());
  }

  @Test
  void every_example_fits_its_schema() {
    int checked = check(document, "");

    assertThat(checked).isGreaterThan(20);
  }

  /** Media type objects with a schema and one or more examples. */
  private int check(JsonValue node, String where) {
    int checked = 0;
    if (node instanceof JsonObject object) {
      if (object.get("schema") instanceof JsonObject schema) {
        Stream<JsonValue> examples = object.containsKey("examples")
            ? object.getJsonObject("examples").values().stream()
                .map(example -> example.asJsonObject().get("value"))
            : Stream.ofNullable(object.get("example"));
        for (JsonValue example : examples.toList()) {
          assertThat(OpenApiSchemas.of(document, schema).validate(example).complaints()).as(where)
              .isEmpty();
          checked++;
        }
      }
      for (var member : object.entrySet()) {
        checked += check(member.getValue(), where + "/" + member.getKey());
      }
    } else if (node instanceof JsonArray array) {
      for (int i = 0; i < array.size(); i++) {
        checked += check(array.get(i), where + "/" + i);
      }
    }
    return checked;
  }

  private Map<String, Operation> described() {
    Map<String, Operation> operations = new TreeMap<>();
    document.getJsonObject("paths")
        .forEach((path, item) -> item.asJsonObject().forEach((method, value) -> {
          if (Set.of("get", "post", "put", "patch", "delete").contains(method)) {
            JsonObject operation = value.asJsonObject();
            Set<String> query = new TreeSet<>();
            Set<String> inPath = new TreeSet<>();
            Set<String> headers = new TreeSet<>();
            Stream.of(item.asJsonObject(), operation)
                .filter(holder -> holder.containsKey("parameters"))
                .flatMap(holder -> holder.getJsonArray("parameters").getValuesAs(JsonObject.class)
                    .stream())
                .map(this::resolved)
                .forEach(parameter -> (switch (parameter.getString("in")) {
                  case "query" -> query;
                  case "header" -> headers;
                  default -> inPath;
                }).add(parameter.getString("name")));
            Set<String> consumes = operation.containsKey("requestBody")
                ? new TreeSet<>(
                    operation.getJsonObject("requestBody").getJsonObject("content").keySet())
                : Set.of();
            Set<String> produces = new TreeSet<>();
            operation.getJsonObject("responses").forEach((status, response) -> {
              if (status.startsWith("2")) {
                produces
                    .addAll(resolved(response.asJsonObject()).getJsonObject("content").keySet());
              }
            });
            Operation former = operations.put(
                method.toUpperCase(java.util.Locale.ROOT) + " " + path,
                new Operation(query, inPath, headers, consumes, produces));
            assertThat(former).isNull();
          }
        }));
    return operations;
  }

  private static Map<String, Operation> implemented() throws Exception {
    Map<String, Operation> operations = new TreeMap<>();
    for (Class<?> resource : resources()) {
      for (Method method : resource.getDeclaredMethods()) {
        for (Class<? extends Annotation> verb : METHODS) {
          if (method.isAnnotationPresent(verb)) {
            String key = verb.getSimpleName() + " " + path(resource, method);
            operations.merge(key, operation(resource, method, key), (one, other) -> new Operation(
                union(one.query(), other.query()), union(one.path(), other.path()),
                union(one.headers(), other.headers()), union(one.consumes(), other.consumes()),
                union(one.produces(), other.produces())));
          }
        }
      }
    }
    return operations;
  }

  private static Operation operation(Class<?> resource, Method method, String key) {
    Set<String> query = new TreeSet<>();
    Set<String> path = new TreeSet<>();
    Set<String> headers = new TreeSet<>();
    boolean hasBody = false;
    for (var parameter : method.getParameters()) {
      if (parameter.isAnnotationPresent(QueryParam.class)) {
        query.add(parameter.getAnnotation(QueryParam.class).value());
      } else if (parameter.isAnnotationPresent(PathParam.class)) {
        path.add(parameter.getAnnotation(PathParam.class).value());
      } else if (parameter.isAnnotationPresent(HeaderParam.class)) {
        headers.add(parameter.getAnnotation(HeaderParam.class).value());
      } else if (parameter.getType() == InputStream.class) {
        hasBody = true;
      }
    }
    // Read from the URI, one by one.
    if (method.isAnnotationPresent(SelectsTasks.class)) {
      query.addAll(TaskFilter.FILTERS);
      query.add(TaskFilter.ATTRIBUTE);
    }
    // The submission of a task holds its answer back, and so asks for the key itself.
    if (method.isAnnotationPresent(OncePerKey.class) || "POST /v1/tasks".equals(key)) {
      headers.add(RequestKeys.HEADER);
    }
    if (method.isAnnotationPresent(MayBeStale.class)) {
      headers.add(StaleReadsFilter.ALLOWED);
    }
    Consumes consumes = nearest(Consumes.class, method, resource);
    Produces produces = nearest(Produces.class, method, resource);
    assertThat(consumes != null).as(key + " says what it consumes if it has a body")
        .isEqualTo(hasBody);
    assertThat(produces).as(key + " says what it produces").isNotNull();
    return new Operation(query, path, headers,
        consumes == null ? Set.of() : types(consumes.value()), types(produces.value()));
  }

  private static String path(Class<?> resource, Method method) {
    Path onMethod = method.getAnnotation(Path.class);
    String path = RestApplication.class.getAnnotation(ApplicationPath.class).value() + "/"
        + resource.getAnnotation(Path.class).value();
    return onMethod == null ? path : path + "/" + onMethod.value();
  }

  /** What a room keeps to itself: the words in these fields, each a word or a set of them. */
  private static Set<String> constants(String type, String... fields) {
    Set<String> words = new TreeSet<>();
    try {
      for (String name : fields) {
        Field field = Class.forName("ee.tasker.rest." + type).getDeclaredField(name);
        field.setAccessible(true);
        if (field.get(null) instanceof Set<?> all) {
          all.forEach(word -> words.add((String) word));
        } else {
          words.add((String) field.get(null));
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
    return words;
  }

  private static List<Class<?>> resources() throws Exception {
    try (var files = Files.walk(SOURCES.resolve("rest"))) {
      List<Class<?>> classes = new java.util.ArrayList<>();
      for (var file : files.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
        Class<?> type = Class.forName("ee.tasker." + SOURCES.relativize(file).toString()
            .replace(".java", "").replace(java.io.File.separatorChar, '.'));
        if (type.isAnnotationPresent(Path.class)) {
          classes.add(type);
        }
      }
      return classes;
    }
  }

  private static List<String> sources() throws Exception {
    try (var files = Files.walk(SOURCES)) {
      List<String> texts = new java.util.ArrayList<>();
      for (var file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        texts.add(Files.readString(file));
      }
      return texts;
    }
  }

  private static <A extends Annotation> A nearest(Class<A> annotation, AnnotatedElement method,
      AnnotatedElement type) {
    return method.isAnnotationPresent(annotation) ? method.getAnnotation(annotation)
        : type.getAnnotation(annotation);
  }

  private static Set<String> types(String[] values) {
    return Arrays.stream(values).map(value -> value.replaceAll(";.*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    Set<String> both = new TreeSet<>(one);
    both.addAll(other);
    return both;
  }

  private static List<String> matches(String pattern, String text,
      Function<MatchResult, String> toString) {
    return Pattern.compile(pattern).matcher(text).results().map(toString).toList();
  }

  private static Set<String> texts(JsonArray array) {
    return array.getValuesAs(JsonString::getString).stream()
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private JsonObject resolved(JsonObject node) {
    return node.containsKey("$ref") ? at(node.getString("$ref").substring(2)) : node;
  }

  private JsonObject at(String path) {
    JsonObject node = document;
    for (String name : path.split("/")) {
      node = node.getJsonObject(name);
    }
    return node;
  }

  private static JsonObject read() {
    return Json.createReader(new StringReader(new OpenApiDocument().json())).readObject();
  }
}
