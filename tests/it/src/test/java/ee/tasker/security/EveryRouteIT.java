package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Every operation of the OpenAPI document that the server itself gives out, asked by all kinds of
 * callers: a new one is among them by itself.
 */
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EveryRouteIT {
  /** For operations that must not be open to every authenticated caller, and name no permission. */
  private static final Set<String> FOR_EVERY_CALLER = Set.of("getMe", "getOpenApi",
      "getOpenApiYaml", "signOut");
  /** For every caller that has logged in by a password, which the callers here have not. */
  private static final String FOR_USERS = "signIn";
  private static final Set<String> OPEN = Set.of("getLandingPage", "getHealth", "getLiveness",
      "getReadiness", "getStartup");
  /**
   * Operations about one thing in a namespace that find it out themselves from the body or the
   * query.
   */
  private static final Map<String, String> ABOUT_TESTING = Map.ofEntries(
      Map.entry("submitTask", TaskerClient.taskRequest("testing", "hello", "{'who': 'nobody'}")),
      Map.entry("previewBulkAction",
          TaskerClient.quoted(
              "{'action_type': 'retry', 'requested_by': 'x', 'reason': 'x', 'filter': {'namespace': 'testing'}}")),
      Map.entry("eraseTasks",
          TaskerClient.quoted(
              "{'namespace': 'testing', 'attribute': 'a', 'value': 'b', 'requested_by': 'x', 'reason': 'x'}")),
      Map.entry("saveView",
          TaskerClient.quoted("{'page': 'tasks', 'name': 'x', 'namespace': 'testing'}")),
      Map.entry("pause",
          TaskerClient.quoted("{'namespace': 'testing', 'requested_by': 'x', 'reason': 'x'}")),
      Map.entry("createSchedule",
          TaskerClient.quoted(
              "{'namespace': 'testing', 'name': 'foreign', 'template': 'hello', 'cron': '@yearly'}")),
      Map.entry("createWebhook",
          TaskerClient.quoted(
              "{'namespace': 'testing', 'name': 'foreign', 'url': 'https://books.example.com/'}")),
      Map.entry("updateWebhook",
          TaskerClient.quoted("{'version': 1, 'url': 'https://books.example.com/'}")),
      Map.entry("registerWorker",
          TaskerClient.quoted(
              "{'name': 'x', 'capacity': 1, 'handlers': ['none'], 'namespaces': ['testing']}")),
      Map.entry("submitResults",
          TaskerClient.quoted(
              "{'results': [{'step_uuid': '00000000-0000-7000-8000-000000000000', 'handoff': 1, 'outcome': 'released'}]}")),
      Map.entry("saveCheckpoints",
          TaskerClient.quoted(
              "{'checkpoints': [{'step_uuid': '00000000-0000-7000-8000-000000000000', 'handoff': 1, 'checkpoint': 1}]}")),
      Map.entry("sendSignalByCorrelation",
          TaskerClient.quoted("{'correlation_id': '00000000-0000-7000-8000-000000000000'}")),
      Map.entry("delegateApproval", TaskerClient.quoted("{'to': 'nobody'}")),
      Map.entry("decideApproval", TaskerClient.quoted("{'approved': true}")),
      Map.entry("registerTemplate",
          "name: foreign\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n  - {name: a, handler: {callable: none}}\n"));
  private static final Map<String, String> QUERY = Map.of(
      "resume", "?namespace=testing&requested_by=x&reason=x", "getBottlenecks",
      "?namespace=testing", "getTimeline", "?namespace=testing",
      "streamEvents", "?namespace=testing", "streamDomainEvents", "?namespace=testing",
      "getAncestorResults", "?name=hello",
      "listBatchResults", "?name=hello");

  private final TaskerClient admin;
  private final List<Operation> operations = new ArrayList<>();
  private UUID task;
  private Map<String, String> things;

  private record Operation(String id, String method, String path, String permission) {
    @Override
    public String toString() {
      return id + " (" + method + " " + path + ")";
    }
  }

  EveryRouteIT(TaskerClient admin) {
    this.admin = admin;
  }

  @BeforeAll
  void read_what_there_is() {
    admin.get("/openapi").object().getJsonObject("paths")
        .forEach((path, item) -> item.asJsonObject().forEach((method, value) -> {
          if (Set.of("get", "post", "put", "patch", "delete").contains(method)) {
            JsonObject operation = value.asJsonObject();
            operations.add(new Operation(operation.getString("operationId"),
                method.toUpperCase(java.util.Locale.ROOT), path,
                operation.getString("x-permission", null)));
          }
        }));
    admin.register("/testing/templates.yaml");
    assertThat(admin.postTemplate("name: guarded\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n"
        + "  - {name: a, handler: {callable: none}, concurrency: [{limit: 1}]}\n").status())
        .isIn(200, 201);
    task = admin.submit("fail", "{\"way\": \"permanent\"}");
    admin.awaitTerminalOrBlocked(task);
    String step = admin.steps(task).values().iterator().next().getString("step_uuid");
    String entry = admin.get("/v1/dlq/task/" + task).text("dlq_entry_uuid");
    String token = admin.post("/v1/bulk-actions", ABOUT_TESTING.get("previewBulkAction"))
        .text("token");
    assertThat(admin.postTemplate(
        "name: asked\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + "  - {name: a, approval: {title: guarded, candidates: {users: [nobody]}, due: P1D}}\n")
        .status()).isIn(200, 201);
    Object approval = admin
        .value("select approval_uuid from tasker.approvals where task_uuid = '"
            + admin.submit("testing", "asked", "{}") + "'");
    Object policy = admin.value(
        "select policy_uuid from tasker.concurrency_policies where namespace_name = 'testing' limit 1");
    String schedule = admin
        .post("/v1/schedules",
            TaskerClient.quoted("{'namespace': 'testing', 'name': 's" + UUID.randomUUID()
                + "', 'template': 'hello', 'context': {'who': 'ann'}, 'cron': '@yearly'}"))
        .text("schedule_uuid");
    String webhook = admin.post("/v1/webhooks",
        TaskerClient.quoted("{'namespace': 'testing', 'name': 'w" + UUID.randomUUID()
            + "', 'url': 'http://127.0.0.1:1/in'}"))
        .text("webhook_uuid");
    String delivery = admin
        .post("/v1/webhooks/" + webhook + "/ping",
            TaskerClient.quoted("{'requested_by': 'ann', 'reason': 'a delivery'}"))
        .text("delivery_uuid");
    things = Map.ofEntries(Map.entry("schedule_uuid", schedule), Map.entry("webhook_uuid", webhook),
        Map.entry("delivery_uuid", delivery),
        Map.entry("task_uuid", task.toString()),
        Map.entry("step_uuid", step), Map.entry("dlq_entry_uuid", entry), Map.entry("token", token),
        Map.entry("policy_uuid", String.valueOf(policy)),
        Map.entry("approval_uuid", String.valueOf(approval)), Map.entry("namespace", "testing"),
        Map.entry("name", "hello"), Map.entry("version", "1.0.0"));
  }

  private Stream<Operation> closed() {
    return operations.stream().filter(operation -> !OPEN.contains(operation.id()));
  }

  private Stream<Operation> guarded() {
    return closed().filter(operation -> !FOR_EVERY_CALLER.contains(operation.id())
        && !FOR_USERS.equals(operation.id()));
  }

  /** The operation, about things that are there where they are given, otherwise about nothing. */
  private static Answer ask(TaskerClient caller, Operation operation, Map<String, String> things) {
    String path = operation.path().replace("{document}",
        operation.path().contains("workflow_steps") ? "error" : "context");
    for (String name : List.of("task_uuid", "step_uuid", "dlq_entry_uuid", "token", "policy_uuid",
        "approval_uuid", "schedule_uuid",
        "webhook_uuid", "delivery_uuid",
        "backfill_uuid",
        "dead_message_uuid", "user_uuid",
        "key_uuid", "grant_uuid", "server_uuid", "worker_uuid", "view_uuid", "namespace", "name",
        "version")) {
      path = path.replace("{" + name + "}",
          things.getOrDefault(name, name.endsWith("uuid") || name.equals("token")
              ? UUID.randomUUID().toString() : "none"));
    }
    String body = things.isEmpty() ? "{}"
        : ABOUT_TESTING.getOrDefault(operation.id(), "openDeadLetter".equals(operation.id())
            ? TaskerClient.quoted("{'task_uuid': '" + things.get("task_uuid")
                + "', 'requested_by': 'x', 'reason': 'x'}")
            : "{}");
    // A stream of all would not end: one of nothing is refused, but only to who might listen.
    String query = things.isEmpty()
        ? (operation.id().matches("stream(Domain)?Events") ? "?kind=nothing" : "")
        : QUERY.getOrDefault(operation.id(), "");
    String type = "registerTemplate".equals(operation.id()) ? "application/yaml"
        : "application/json";
    return caller
        .send(caller.request(path + query).setHeader("Accept", "*/*").header("Content-Type", type)
            .method(operation.method(),
                "GET".equals(operation.method()) || "DELETE".equals(operation.method())
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body)));
  }

  private static void assertProblem(Answer answer, int status, String code) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
    assertThat(answer.header("Content-Type")).as("%s", answer)
        .startsWith("application/problem+json");
    assertThat(answer.text("code")).isEqualTo(code);
  }

  @Test
  void every_operation_is_known_to_be_open_or_names_its_permission() {
    assertThat(operations).hasSizeGreaterThan(40);
    assertThat(guarded()).allSatisfy(operation -> assertThat(Permission.of(operation.permission()))
        .as("%s", operation).isPresent());
    assertThat(operations).extracting(Operation::id).containsAll(OPEN).containsAll(FOR_EVERY_CALLER)
        .contains(FOR_USERS);
  }

  @Test
  void without_credentials_only_health_and_the_start_page_answer() {
    TaskerClient anonymous = admin.with(Map.of());

    assertThat(closed()).allSatisfy(operation -> {
      Answer answer = ask(anonymous, operation, Map.of());
      assertProblem(answer, 401, "not-authenticated");
      assertThat(answer.header("WWW-Authenticate")).contains("Basic");
    });
    assertThat(operations.stream().filter(operation -> OPEN.contains(operation.id())))
        .allSatisfy(operation -> assertThat(ask(anonymous, operation, Map.of()).status())
            .as("%s", operation).isEqualTo(200));
  }

  @Test
  void wrong_credentials_of_every_kind_are_refused_everywhere() {
    for (Map<String, String> wrong : List.of(Map.of("X-API-Key", "tkr_" + UUID.randomUUID()),
        Map.of("Authorization", "Bearer e30.e30.c2ln"),
        Map.of("Authorization", "Negotiate abc"), Map.of("Authorization", "Basic ==="))) {
      assertThat(closed())
          .allSatisfy(operation -> assertProblem(ask(admin.with(wrong), operation, Map.of()), 401,
              "not-authenticated"));
    }
  }

  @Test
  void every_other_permission_together_is_not_enough() {
    Map<String, TaskerClient> allBut = new java.util.HashMap<>();
    assertThat(guarded()).allSatisfy(operation -> {
      TaskerClient caller = allBut.computeIfAbsent(operation.permission(),
          permission -> admin.asOneWhoMay(
              Arrays.stream(Permission.values()).map(Permission::text)
                  .filter(text -> !text.equals(permission)).toList()));
      assertProblem(ask(caller, operation, Map.of()), 403, "not-permitted");
    });
  }

  @Test
  void the_one_permission_is_enough() {
    Map<String, TaskerClient> only = new java.util.HashMap<>();
    assertThat(guarded()).allSatisfy(operation -> {
      TaskerClient caller = only.computeIfAbsent(operation.permission(),
          permission -> admin.asOneWhoMay(List.of(permission)));
      assertThat(ask(caller, operation, Map.of()).status()).as("%s", operation).isNotIn(401, 403,
          500, 503);
    });
    assertThat(closed().filter(operation -> FOR_EVERY_CALLER.contains(operation.id()))).allSatisfy(
        operation -> assertThat(ask(admin.asOneWhoMay(List.of()), operation, Map.of()).status())
            .as("%s", operation).isEqualTo(200));
  }

  @Test
  void everything_in_another_namespace_gives_neither_access_nor_knowledge() {
    TaskerClient foreigner = admin
        .asOneWhoMay(Arrays.stream(Permission.values())
            .map(permission -> permission.text() + " in elsewhere").toList());
    String[] secrets = {task.toString(), things.get("step_uuid"), things.get("dlq_entry_uuid")};

    assertThat(guarded()).allSatisfy(operation -> {
      Answer answer = ask(foreigner, operation, things);
      boolean isAboutATask = operation.path().contains("{task_uuid}");
      if (answer.status() / 100 == 2) {
        // A list of what may be seen, or something that belongs to no namespace and is allowed to
        // all who may do it in some namespace.
        assertThat(answer.body()).as("%s", operation).doesNotContain(secrets)
            .doesNotContain("\"testing\"");
      } else if (isAboutATask) {
        assertProblem(answer, 404, "task-not-found");
        assertThat(answer.text("detail")).isEqualTo("there is no task " + task);
      } else if (answer.status() != 400) {
        assertThat(answer.status()).as("%s: %s", operation, answer).isIn(403, 404);
      } else {
        // What of the body is wrong is told before it is known to be about some namespace.
        assertThat(operation.id()).isIn("submitTasks", "validateTemplate", "previewFireTimes");
      }
    });
    assertThat(admin.get("/v1/tasks/" + task).text("state")).isEqualTo("blocked_by_failures");
    assertThat(admin.get("/v1/pauses").body()).doesNotContain("\"testing\"");
  }

  @Test
  void everything_in_the_namespace_itself_is_enough_for_what_is_in_it() {
    TaskerClient owner = admin
        .asOneWhoMay(Arrays.stream(Permission.values())
            .map(permission -> permission.text() + " in testing").toList());

    assertThat(guarded()
        .filter(operation -> operation.path().contains("{") && "GET".equals(operation.method())
            && !operation.id().startsWith("stream")
            && !operation.path().contains("{server_uuid}")
            && !operation.path().contains("{worker_uuid}")))
        .allSatisfy(operation -> assertThat(ask(owner, operation, things).status())
            .as("%s", operation).isEqualTo(200));
    assertThat(owner.get("/v1/tasks?limit=5").object().getJsonArray("tasks")).isNotEmpty();
    assertThat(owner.get("/v1/dlq").object().getJsonArray("entries")).isNotEmpty();
    assertThat(owner.get("/v1/servers").status()).isEqualTo(403);
  }
}
