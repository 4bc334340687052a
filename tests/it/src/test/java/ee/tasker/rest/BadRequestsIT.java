package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every invalid request is reported in one format, and leaves nothing behind. */
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadRequestsIT {
  private static final String ABSENT = "00000000-0000-7000-8000-000000000000";
  private static final String CYCLE = """
      name: cycle
      namespace_name: testing
      version: "1.0.0"
      steps:
        - name: a
          dependencies: [c]
          handler: {callable: testing.Echo}
        - name: b
          dependencies: [a]
          handler: {callable: testing.Echo}
        - name: c
          dependencies: [b]
          handler: {callable: testing.Echo}
      """;

  private final TaskerClient tasker;
  private Map<String, Long> before;

  BadRequestsIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @BeforeAll
  void count_what_is_there() {
    tasker.register("/testing/templates.yaml");
    TaskerClient.until("nothing moves", Duration.ofSeconds(30),
        () -> tasker.count("select count(*) from tasker.tasks where in_flight_steps > 0") == 0);
    before = tasker.rowCounts();
  }

  @AfterAll
  void nothing_is_left_behind() {
    assertThat(tasker.rowCounts()).isEqualTo(before);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"requests", "batches", "reads", "templates"})
  void is_refused_with_a_problem_that_says_what_is_wrong(String what, String method, String path,
      String type, String body, int status, String code, String field) {
    Answer answer = send(method, path, type, body);

    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertProblem(answer, code);
    if (field != null) {
      assertThat(answer.fields()).as(answer.toString()).contains(field);
    }
  }

  private Answer send(String method, String path, String type, String body) {
    HttpRequest.Builder request = tasker.request(path)
        .method(method, body == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body));
    return tasker.send(type == null ? request : request.header("Content-Type", type));
  }

  private static void assertProblem(Answer answer, String code) {
    assertThat(answer.header("Content-Type")).as(answer.toString())
        .startsWith("application/problem+json");
    JsonObject problem = answer.object();
    assertThat(problem.getString("code")).as(answer.toString()).isEqualTo(code);
    assertThat(problem.getString("type")).isEqualTo("urn:tasker:problem:" + code);
    assertThat(problem.getInt("status")).isEqualTo(answer.status());
    assertThat(problem.getString("title")).isNotBlank();
    assertThat(problem.getString("detail")).isNotBlank();
    assertThat(problem.getString("instance")).startsWith("/v1");
    assertThat(answer.body()).doesNotContain("Exception", "\tat ", "ee.tasker", "org.postgresql",
        "SQL", "select ", "ERROR:");
  }

  private static Arguments post(String what, String body, int status, String code, String field) {
    return arguments(what, "POST", "/v1/tasks", "application/json", body, status, code, field);
  }

  private static Arguments member(String what, String member, String field) {
    return post(what,
        TaskerClient
            .quoted("{'namespace': 'testing', 'name': 'hello', 'version': '1.0.0', 'context': {}, "
                + member + "}"),
        400, "invalid-request", field);
  }

  private static Arguments context(String what, String context) {
    return post(what, TaskerClient.taskRequest("testing", "hello", context), 400, "invalid-request",
        "context");
  }

  static Stream<Arguments> requests() {
    return Stream.of(
        post("unknown template", TaskerClient.taskRequest("testing", "nobody_knows", "{}"), 404,
            "unknown-template", "name"),
        post("unknown namespace", TaskerClient.taskRequest("nowhere", "hello", "{}"), 404,
            "unknown-template", "name"),
        arguments("webhook without an address", "POST", "/v1/webhooks", "application/json",
            "{\"name\": \"x\"}", 400, "invalid-request",
            "url"),
        arguments("webhook to an address inside", "POST", "/v1/webhooks", "application/json",
            "{\"name\": \"x\", \"url\": \"https://10.0.0.1/\"}", 400, "invalid-request", "url"),
        arguments("webhook with a wrong secret", "POST", "/v1/webhooks", "application/json",
            "{\"name\": \"x\", \"url\": \"https://books.example.com/\", \"secret\": \"abc\"}", 400,
            "invalid-request", "secret"),
        arguments("webhook from nowhere", "POST", "/v1/webhooks", "application/json",
            "{\"name\": \"x\", \"url\": \"https://books.example.com/\", \"from\": \"soon\"}", 400,
            "invalid-request", "from"),
        arguments("webhook for no types", "POST", "/v1/webhooks", "application/json",
            "{\"name\": \"x\", \"url\": \"https://books.example.com/\", \"event_types\": []}", 400,
            "invalid-request", "event_types"),
        post("unknown version",
            TaskerClient.quoted(
                "{'namespace': 'testing', 'name': 'hello', 'version': '9.9.9', 'context': {}}"),
            404,
            "unknown-template", "name"),
        post("context lacks what the schema requires",
            TaskerClient.taskRequest("testing", "checked_hello", "{}"), 400, "invalid-context",
            "context"),
        post("context has a wrong type",
            TaskerClient.taskRequest("testing", "checked_hello", "{'who': 7}"), 400,
            "invalid-context",
            "context/who"),
        post("context is below a minimum",
            TaskerClient.taskRequest("testing", "checked_hello", "{'who': 'x', 'times': 0}"), 400,
            "invalid-context", "context/times"),
        post("context has a key too many",
            TaskerClient.taskRequest("testing", "checked_hello", "{'who': 'x', 'why': 1}"), 400,
            "invalid-context", "context/why"),
        post("key that the template asks for is missing",
            TaskerClient.taskRequest("testing", "keyed_hello", "{}"), 400, "invalid-request",
            "idempotency_key"),
        post("no JSON", "who?", 400, "malformed-json", null),
        post("JSON that stops", "{\"name\": \"hello\",", 400, "malformed-json", null),
        post("something after the JSON", TaskerClient.taskRequest("testing", "hello", "{}") + " {}",
            400, "malformed-json", null),
        post("no body", null, 400, "malformed-json", null),
        post("empty body", "", 400, "malformed-json", null),
        post("an array", "[]", 400, "malformed-json", null),
        post("a text", "\"hello\"", 400, "malformed-json", null),
        post("the same key twice",
            "{\"name\": \"hello\", \"name\": \"fail\", \"namespace\": \"testing\", \"version\": \"1.0.0\", \"context\": {}}",
            400,
            "malformed-json", null),
        post("the same key twice, deep inside",
            TaskerClient.taskRequest("testing", "hello", "{'a': {'b': 1, 'b': 2}}"), 400,
            "malformed-json", null),
        post("too long",
            TaskerClient.taskRequest("testing", "hello",
                "{'text': '" + "x".repeat(1_048_576) + "'}"),
            413, "body-too-large",
            null),
        post("numbers that are too long with all their digits",
            TaskerClient.taskRequest("testing", "hello",
                "{'a': [1e999" + ",1e999".repeat(100_000) + "]}"),
            400, "invalid-request",
            "context"),
        post("too deep for the parser",
            TaskerClient.taskRequest("testing", "hello",
                "{'a': " + "[".repeat(200_000) + "]".repeat(200_000) + "}"),
            400, "malformed-json",
            null),
        post("everything is missing", "{}", 400, "invalid-request", "context"),
        member("unknown key", "'prioritaet': 1", "prioritaet"),
        member("null for a text is no value, but a number is wrong", "'initiator': 7", "initiator"),
        member("text that is too long", "'initiator': '" + "x".repeat(129) + "'", "initiator"),
        member("text that is empty", "'reason': ''", "reason"),
        member("U+0000 in a text", "'reason': 'a\\u0000b'", "reason"),
        member("half of a surrogate pair in a text", "'reason': 'a\\ud800b'", "reason"),
        member("half of a surrogate pair in the idempotency key", "'idempotency_key': '\\udc00'",
            "idempotency_key"),
        member("priority out of range", "'priority': 101", "priority"),
        member("priority with a fraction", "'priority': 1.5", "priority"),
        member("priority beyond all numbers", "'priority': 1e999999999", "priority"),
        member("priority as a text", "'priority': '1'", "priority"),
        member("priority of a thousand digits", "'priority': " + "9".repeat(2_000), "priority"),
        member("tags that are no list", "'tags': 'a'", "tags"),
        member("tags that are no texts", "'tags': ['a', 1]", "tags"),
        member("too many tags", "'tags': [" + "'a',".repeat(100) + "'a']", "tags"),
        member("U+0000 in a tag", "'tags': ['a\\u0000']", "tags"),
        member("half of a surrogate pair in a tag", "'tags': ['\\ud800']", "tags"),
        member("time without an offset", "'requested_at': '2026-01-31T12:00:00'", "requested_at"),
        member("time that is no time", "'requested_at': 'yesterday'", "requested_at"),
        member("time that PostgreSQL does not know", "'requested_at': '+999999999-12-31T23:59:59Z'",
            "requested_at"),
        member("time before PostgreSQL's first", "'requested_at': '-999999999-01-01T00:00:00Z'",
            "requested_at"),
        member("time whose offset leads beyond PostgreSQL's last",
            "'requested_at': '9999-12-31T23:59:59-18:00'", "requested_at"),
        bulk("-2000-01-01T00:00:00Z"), bulk("+10000-01-01T00:00:00Z"),
        bulk("9999-12-31T23:59:59-18:00"), bulk("0001-01-01T00:00:00+18:00"),
        bulk("-999999999-01-01T00:00:00+18:00"), bulk("2026-01-01"), bulk("infinity"),
        bulk("2026-01-01T00:00:00Z\\u0000"),
        arguments("U+0000 in a filter", "POST", "/v1/bulk-actions", "application/json",
            TaskerClient.quoted("{'action_type': 'retry', 'requested_by': 'x', 'reason': 'x', "
                + "'filter': {'name': 'a\\u0000b'}}"),
            400, "invalid-request", "filter/name"),
        member("correlation that is no uuid", "'correlation_id': 'abc'", "correlation_id"),
        member("parent correlation that is no uuid",
            "'parent_correlation_id': '00000000-0000-0000-0000-00000000000g'",
            "parent_correlation_id"),
        member("on_duplicate of its own", "'on_duplicate': 'replace'", "on_duplicate"),
        context("context that is no object", "[]"),
        context("context that is null", "null"),
        context("context with U+0000", "{'a': ['b\\u0000']}"),
        context("context with U+0000 in a key", "{'a\\u0000': 1}"),
        context("context with half of a surrogate pair", "{'a': '\\ud800'}"),
        context("context with half of a surrogate pair in a key", "{'\\ud800': 1}"),
        context("context that is too deep", "{'a': " + "[".repeat(70) + "]".repeat(70) + "}"),
        context("context with too many keys",
            "{" + java.util.stream.IntStream.range(0, 10_001).mapToObj(i -> "'k" + i + "': 1")
                .collect(java.util.stream.Collectors.joining(",")) + "}"),
        context("context with an exponent beyond all numbers", "{'n': 1e999999999}"),
        context("context with a number of very many digits", "{'n': " + "9".repeat(200_000) + "}"),
        arguments("wait that is no number", "POST", "/v1/tasks?wait=soon", "application/json",
            TaskerClient.taskRequest("testing", "hello", "{}"), 400, "invalid-request", "wait"),
        arguments("wait that is negative", "POST", "/v1/tasks?wait=-1", "application/json",
            TaskerClient.taskRequest("testing", "hello", "{}"), 400, "invalid-request", "wait"),
        arguments("wait that is too long", "POST", "/v1/tasks?wait=61", "application/json",
            TaskerClient.taskRequest("testing", "hello", "{}"), 400, "invalid-request", "wait"),
        arguments("unknown parameter", "POST", "/v1/tasks?dry_run=true", "application/json",
            TaskerClient.taskRequest("testing", "hello", "{}"), 400, "invalid-request", "dry_run"),
        arguments("text instead of JSON", "POST", "/v1/tasks", "text/plain",
            TaskerClient.taskRequest("testing", "hello", "{}"), 415,
            "unsupported-media-type", null),
        arguments("no media type", "POST", "/v1/tasks", null,
            TaskerClient.taskRequest("testing", "hello", "{}"), 415,
            "unsupported-media-type", null));
  }

  private static Arguments bulk(String time) {
    return arguments("bulk action before " + time, "POST", "/v1/bulk-actions", "application/json",
        TaskerClient.quoted("{'action_type': 'retry', 'requested_by': 'x', 'reason': 'x', "
            + "'filter': {'created_before': '" + time + "'}}"),
        400, "invalid-request", "filter/created_before");
  }

  private static Arguments batch(String what, String body, int status, String code) {
    return arguments(what, "POST", "/v1/tasks:batch", "application/json", body, status, code, null);
  }

  static Stream<Arguments> batches() {
    return Stream.of(
        batch("batch that is no array", "{}", 400, "malformed-json"),
        batch("batch of nothing", "[]", 400, "invalid-request"),
        batch("batch that is too large", "[" + "{},".repeat(1_000) + "{}]", 400,
            "invalid-request"));
  }

  private static Arguments read(String what, String path, int status, String code, String field) {
    return arguments(what, "GET", path, null, null, status, code, field);
  }

  static Stream<Arguments> reads() {
    return Stream.of(
        read("absent task", "/v1/tasks/" + ABSENT, 404, "task-not-found", null),
        read("absent task, waited for", "/v1/tasks/" + ABSENT + "?wait=30", 404, "task-not-found",
            null),
        read("task that is no uuid", "/v1/tasks/42", 400, "invalid-request", "task_uuid"),
        read("task with a character too many", "/v1/tasks/" + ABSENT + "0", 400, "invalid-request",
            "task_uuid"),
        read("steps of an absent task", "/v1/tasks/" + ABSENT + "/workflow_steps", 404,
            "task-not-found", null),
        read("absent step", "/v1/tasks/" + ABSENT + "/workflow_steps/" + ABSENT, 404,
            "step-not-found", null),
        read("audit of an absent step",
            "/v1/tasks/" + ABSENT + "/workflow_steps/" + ABSENT + "/audit", 404, "step-not-found",
            null),
        read("step that is no uuid", "/v1/tasks/" + ABSENT + "/workflow_steps/first", 400,
            "invalid-request", "step_uuid"),
        read("absent template", "/v1/templates/testing/nobody_knows/1.0.0", 404,
            "template-not-found", null),
        read("no such path", "/v1/nothing/here", 404, "no-such-path", null),
        read("negative limit", "/v1/tasks?limit=-1", 400, "invalid-request", "limit"),
        read("limit of nothing", "/v1/tasks?limit=0", 400, "invalid-request", "limit"),
        read("limit that is too large", "/v1/tasks?limit=101", 400, "invalid-request", "limit"),
        read("limit that is no number", "/v1/tasks?limit=ten", 400, "invalid-request", "limit"),
        read("limit beyond all numbers", "/v1/tasks?limit=99999999999999999999", 400,
            "invalid-request", "limit"),
        read("cursor that is no uuid", "/v1/tasks?cursor=page2", 400, "invalid-request", "cursor"),
        read("unknown state", "/v1/tasks?state=done", 400, "invalid-request", "state"),
        read("unknown filter", "/v1/tasks?colour=red", 400, "invalid-request", "colour"),
        read("filter that is no uuid", "/v1/tasks?correlation_id=1", 400, "invalid-request",
            "correlation_id"),
        read("filter with U+0000", "/v1/tasks?namespace=%00", 400, "invalid-request", "namespace"),
        read("the same filter twice", "/v1/tasks?state=complete&state=error", 400,
            "invalid-request", "state"),
        read("filter of templates with U+0000", "/v1/templates?namespace=%00", 400,
            "invalid-request", "namespace"),
        arguments("something else included", "GET", "/v1/tasks?include=steps", null, null, 400,
            "invalid-request", "include"),
        arguments("a size below zero", "GET", "/v1/tasks/" + ABSENT + "?max_document_bytes=-1",
            null, null, 400, "invalid-request",
            "max_document_bytes"),
        arguments("an unknown document", "GET", "/v1/tasks/" + ABSENT + "/documents/results", null,
            null, 404, "document-not-found", null),
        arguments("a part that is too long", "GET",
            "/v1/tasks/" + ABSENT + "/documents/context?limit=1048577", null, null, 400,
            "invalid-request", "limit"),
        arguments("a part of nothing", "GET", "/v1/tasks/" + ABSENT + "/documents/context", null,
            null, 404, "task-not-found", null),
        arguments("an attempt of the inputs", "GET",
            "/v1/tasks/" + ABSENT + "/workflow_steps/" + ABSENT + "/documents/inputs?attempt=1",
            null, null, 400, "invalid-request", "attempt"),
        arguments("a bulk action in some background", "POST", "/v1/bulk-actions",
            "application/json", TaskerClient
                .quoted(
                    "{'action_type': 'fail', 'requested_by': 'x', 'reason': 'x', 'background': 'yes', 'filter': {'name': 'x'}}"),
            400,
            "invalid-request", "background"),
        arguments("verdicts of another outcome", "GET",
            "/v1/bulk-actions/" + ABSENT + "/tasks?outcome=failed", null, null, 400,
            "invalid-request", "outcome"),
        arguments("verdicts of an unknown action", "GET", "/v1/bulk-actions/" + ABSENT + "/tasks",
            null, null, 404, "token-not-found", null),
        arguments("the end of an unknown action", "DELETE", "/v1/bulk-actions/" + ABSENT, null,
            null, 404, "token-not-found", null),
        arguments("absent task, cancelled", "DELETE", "/v1/tasks/" + ABSENT, null, null, 404,
            "task-not-found", null),
        arguments("cancel with a policy of its own", "DELETE",
            "/v1/tasks/" + ABSENT + "?policy=kill", null, null, 400, "invalid-request",
            "policy"),
        arguments("cancel with a reason that is too long", "DELETE",
            "/v1/tasks/" + ABSENT + "?reason=" + "x".repeat(1_001), null, null,
            400, "invalid-request", "reason"),
        arguments("cancel with U+0000", "DELETE", "/v1/tasks/" + ABSENT + "?reason=%00", null, null,
            400, "invalid-request", "reason"),
        arguments("wrong method for tasks", "PUT", "/v1/tasks", "application/json", "{}", 405,
            "method-not-allowed", null),
        arguments("wrong method for a task", "POST", "/v1/tasks/" + ABSENT, "application/json",
            "{}", 405, "method-not-allowed", null),
        arguments("wrong method for a template", "DELETE", "/v1/templates/testing/hello/1.0.0",
            null, null, 405, "method-not-allowed", null));
  }

  private static Arguments template(String what, String yaml, int status, String code,
      String field) {
    return arguments(what, "POST", "/v1/templates", "application/yaml", yaml, status, code, field);
  }

  static Stream<Arguments> templates() {
    return Stream.of(
        template("template with a cycle", CYCLE, 400, "invalid-template",
            "steps[0].dependencies[0]"),
        template("template with an unknown key", CYCLE.replace("version:", "colour: red\nversion:"),
            400, "invalid-template", "colour"),
        template("template that is no YAML", "{", 400, "invalid-template", null),
        template("template that is empty", "", 400, "invalid-template", null),
        template("template with other content than the registered one",
            "name: hello\nnamespace_name: testing\nversion: \"1.0.0\"\nidentity_strategy: always_unique\nsteps:\n  - name: shout\n    handler: {callable: testing.Echo}\n",
            409, "template-exists", null),
        template("template that is too long", "#" + "x".repeat(1_048_576), 413, "body-too-large",
            null),
        arguments("template as a form", "POST", "/v1/templates",
            "application/x-www-form-urlencoded", "a=b", 415, "unsupported-media-type", null));
  }

  /** Also where one member alone is wrong, and others that fit do not go together. */
  @ParameterizedTest(name = "{0} {1}: {3}")
  @CsvSource(delimiter = '|', value = {
    "POST | /v1/tasks | {'namespace': 'testing', 'name': 'hello', 'context': {}, 'priority': 'x', "
        + "'version': '1.0.0-01', 'start_at': '2030-01-31T12:00:00Z', 'delay_seconds': 1} "
        + "| delay_seconds priority version",
    "POST | /v1/schedules | {'namespace': 'testing', 'name': 7, 'template': 'hello', "
        + "'template_version': '1.0.0-01', 'cron': '@daily', 'every_seconds': 60, "
        + "'starts_at': '2030-01-31T12:00:00Z', 'ends_at': '2030-01-31T12:00:00Z'} "
        + "| ends_at every_seconds name template_version",
    "GET | /v1/schedules/upcoming?cron=@daily&every_seconds=60&zone= | | every_seconds zone",
    "POST | /v1/webhooks | {'name': '', 'url': 'https://a.example.com/', 'from': 'soon'} "
        + "| from name",
    "POST | /v1/workers/" + ABSENT + "/results | {'results': [{'step_uuid': '" + ABSENT
        + "', 'handoff': 0, 'outcome': 'success', 'checkpoint': 1}, {'step_uuid': '" + ABSENT
        + "', 'handoff': 1, 'outcome': 'permanent_failure'}, {'step_uuid': '" + ABSENT
        + "', 'handoff': 1, 'outcome': 'deferred', 'result': 1}, 5]} | results",
    "POST | /v1/workers/" + ABSENT + "/results | {'results': [{'step_uuid': '" + ABSENT
        + "', 'handoff': 0, 'outcome': 'success', 'checkpoint': 1}, {'step_uuid': '" + ABSENT
        + "', 'handoff': 1, 'outcome': 'permanent_failure'}, {'step_uuid': '" + ABSENT
        + "', 'handoff': 1, 'outcome': 'deferred', 'result': 1}]} | results/0/checkpoint "
        + "results/0/handoff results/1/error results/1/step_uuid results/2/outcome "
        + "results/2/step_uuid",
    "POST | /v1/workers/" + ABSENT + "/checkpoints | {'checkpoints': [{'step_uuid': '" + ABSENT
        + "', 'handoff': 1, 'checkpoint': null}, {'step_uuid': '" + ABSENT
        + "', 'checkpoint': 1}]} | checkpoints/0/checkpoint checkpoints/1/handoff "
        + "checkpoints/1/step_uuid",
    "POST | /v1/workers | {'name': ''} | capacity handlers name",
    "POST | /v1/pauses | {'namespace': 'testing', 'version': '1.0.0'} | name reason requested_by",
    "POST | /v1/access/grants | {'namespace': 1} | namespace role user_uuid",
    "POST | /v1/access/users | {'name': ' x', 'grants': [{'role': 5}, "
        + "{'permission': 'all', 'namespace': ''}]} "
        + "| grants/0/role grants/1/namespace grants/1/permission name",
    "POST | /v1/bulk-actions | {'action_type': 'cancel', 'filter': {'name': ''}, "
        + "'resolution_status': 'cancelled'} | filter/name reason requested_by resolution_status",
    "POST | /v1/tasks/" + ABSENT + "/forks | {'from': [], 'context': 5} "
        + "| context from reason requested_by",
  })
  void what_does_not_go_together_is_named_beside_what_is_wrong_by_itself(String method,
      String path, String body, String fields) {
    Answer answer = send(method, path, "application/json",
        body == null ? null : body.replace('\'', '"'));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
    assertThat(answer.fields()).as(answer.toString())
        .containsExactlyInAnyOrder(fields.split(" "));
  }

  @Test
  void all_that_is_wrong_with_a_request_is_said_at_once() {
    Answer answer = tasker.post("/v1/tasks", TaskerClient
        .quoted(
            "{'name': 7, 'version': 'one', 'priority': 1000, 'tags': {}, 'correlation_id': 'x', 'colour': 'red', 'context': []}"));

    assertThat(answer.fields()).containsExactlyInAnyOrder("colour", "namespace", "name", "version",
        "priority", "tags", "correlation_id",
        "context");
  }

  @Test
  void malformed_json_is_located() {
    Answer answer = tasker.post("/v1/tasks", "{\n  \"name\": \"hello\",\n  oops\n}");

    assertThat(answer.object().getString("detail")).contains("line 3");
  }

  @Test
  void cycle_is_located_and_never_reaches_the_database() {
    Answer answer = tasker.postTemplate(CYCLE);

    assertThat(answer.object().getString("detail")).containsPattern("line \\d+, column \\d+");
    assertThat(answer.body()).contains("line 6, column").containsIgnoringCase("cycle");
    assertThat(tasker.count("select count(*) from tasker.named_tasks where name = 'cycle'"))
        .isZero();
  }

  @Test
  void validation_names_every_problem_and_stores_nothing() {
    Answer answer = tasker
        .send(tasker.request("/v1/templates/validate").header("Content-Type", "application/yaml")
            .POST(HttpRequest.BodyPublishers
                .ofString(CYCLE.replace("version:", "colour: red\nversion:"))));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.object().getBoolean("valid")).isFalse();
    assertThat(answer.object().getJsonArray("problems").getValuesAs(JsonObject.class))
        .allSatisfy(problem -> assertThat(problem.getInt("line")).isPositive())
        .extracting(problem -> problem.getString("path"))
        .contains("colour", "steps[0].dependencies[0]");
  }

  @ParameterizedTest
  @CsvSource({"PATCH, /metrics", "BREW, /metrics", "PATCH, /openapi", "BREW, /openapi.yaml"})
  void what_can_only_be_read_says_so(String method, String path) {
    Answer answer = tasker
        .send(tasker.request(path).method(method, HttpRequest.BodyPublishers.noBody()));

    assertThat(answer.status()).as("%s", answer).isEqualTo(405);
    assertThat(answer.object().getString("code")).isEqualTo("method-not-allowed");
    assertThat(answer.header("Allow")).contains("GET");
  }

  @Test
  void wrong_method_says_which_are_right() {
    assertThat(
        tasker.send(tasker.request("/v1/tasks").PUT(HttpRequest.BodyPublishers.ofString("{}")))
            .header("Allow"))
        .contains("GET",
            "POST");
  }

  @Test
  void media_type_that_cannot_be_served_is_not_acceptable() {
    Answer answer = tasker
        .send(HttpRequest.newBuilder(java.net.URI.create(tasker.base() + "/v1/handlers"))
            .timeout(Duration.ofSeconds(20))
            .header("Authorization", Login.FOR_TESTS.basic()).header("Accept", "image/png").GET());

    assertThat(answer.status()).isEqualTo(406);
    assertProblem(answer, "not-acceptable");
  }

  @Test
  void body_that_is_not_utf_8_is_refused() {
    Answer answer = tasker
        .send(tasker.request("/v1/tasks").header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers
                .ofByteArray(TaskerClient.taskRequest("testing", "hello", "{'name': 'Zoë'}")
                    .getBytes(StandardCharsets.ISO_8859_1))));

    assertThat(answer.status()).isEqualTo(400);
    assertProblem(answer, "malformed-body");
  }

  @Test
  void percent_that_encodes_nothing_is_no_fault_of_the_server() throws Exception {
    try (Socket socket = new Socket(tasker.base().getHost(), tasker.base().getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream()
          .write(("GET /v1/tasks?namespace=%ZZ HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
              + Login.FOR_TESTS.basic()
              + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);

      assertThat(answer).startsWith("HTTP/1.1 4");
      assertThat(answer).doesNotContain("Exception", "\tat ");
    }
  }

  @Test
  void requests_of_a_batch_fail_each_for_itself() {
    Answer answer = tasker.post("/v1/tasks:batch",
        TaskerClient
            .quoted("[7, {}, " + TaskerClient.taskRequest("testing", "nobody_knows", "{}") + ", "
                + TaskerClient.taskRequest("testing", "checked_hello", "{}") + "]"));

    assertThat(answer.status()).isEqualTo(207);
    assertThat(answer.list("verdicts"))
        .extracting(verdict -> verdict.getInt("status") + " " + verdict.getString("code"))
        .containsExactly("400 invalid-request", "400 invalid-request", "404 unknown-template",
            "400 invalid-context");
  }
}
