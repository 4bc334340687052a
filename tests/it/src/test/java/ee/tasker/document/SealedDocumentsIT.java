package ee.tasker.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.DocumentKeys;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Personal data that no table, log line or answer has, and handlers have all the same. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SealedDocumentsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String ACCOUNT = "DE02secret4711";
  private static final String TAN = "secret-tan";
  private static final String ACCOUNTS = """
      {type: object, properties: {iban: {type: string, minLength: 5, x-sealed: true}}}""";
  private static final String TEMPLATE = """
      name: transfer
      namespace_name: testing
      version: 1.0.0
      identity_strategy: always_unique
      seal_errors: true
      input_schema: %1$s
      steps:
        - name: check
          handler: {callable: testing.Sealed}
          retry: {retryable: true, max_attempts: 3, backoff: linear, backoff_base_ms: 10}
          result_schema: %1$s
        - name: confirm
          dependencies: [check]
          signal:
            name: confirmed
            schema: {type: object, properties: {tan: {type: string, x-sealed: true}}}
        - name: book
          dependencies: [confirm]
          handler: {callable: testing.Sealed}
          retry: {retryable: true, max_attempts: 3, backoff: linear, backoff_base_ms: 10}
          result_schema: %1$s
        - name: notify
          dependencies: [book]
          handler: {callable: testing.Sealed, initialization: {fails: true}}
      """.formatted(ACCOUNTS);

  @TempDir
  private static Path folder;
  private EmbeddedDatabase database;
  private TestServer server;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    Map<String, String> settings = new HashMap<>(DocumentKeys.settings(folder));
    settings.put("TASKER_POLL_INTERVAL_SECONDS", "1");
    server = TestServer.start(database, settings);
    tasker = server.client();
    Answer registered = tasker.postTemplate(TEMPLATE);
    assertThat(registered.status()).as("%s", registered).isEqualTo(201);
  }

  @AfterAll
  void stop() {
    assertThat(History.broken(tasker)).isEmpty();
    server.close();
    database.close();
  }

  private static String context() {
    return "{\"iban\": \"" + ACCOUNT + "\", \"amount\": 5}";
  }

  private JsonObject step(UUID task, String name) {
    return tasker.get("/v1/tasks/" + task + "/workflow_steps").list("steps").stream()
        .filter(step -> step.getString("name").equals(name)).findFirst().orElseThrow();
  }

  private Answer open(TaskerClient caller, String what) {
    return caller.post("/v1/tasks/" + what + "/open",
        "{\"requested_by\": \"ann\", \"reason\": \"the customer asks\"}");
  }

  @Test
  void a_task_runs_on_what_nothing_shows() {
    UUID task = tasker.submit("testing", "transfer", context());
    TaskerClient.until("it waits for the signal", PATIENCE,
        () -> tasker.count("select count(*) from tasker.step_waits where task_uuid = ?"
            + " and state = 'open'", task) == 1);
    assertThat(tasker.post("/v1/tasks/" + task + "/signals/confirmed",
        "{\"payload\": {\"tan\": \"" + TAN + "\"}}").status()).isEqualTo(200);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");

    JsonObject shown = tasker.get("/v1/tasks/" + task).object();
    assertThat(shown.getJsonObject("context").getJsonObject("iban").getJsonObject("$sealed")
        .getString("key")).isEqualTo(DocumentKeys.ALIAS);
    assertThat(shown.getJsonObject("context").getInt("amount")).isEqualTo(5);
    JsonObject booked = step(task, "book").getJsonObject("result");
    assertThat(booked.getInt("context")).as("what the handler saw").isEqualTo(ACCOUNT.length());
    assertThat(booked.getInt("checkpoint")).isEqualTo(ACCOUNT.length());
    assertThat(booked.getInt("result")).isEqualTo(ACCOUNT.length());
    assertThat(booked.getInt("signal")).isEqualTo(TAN.length());
    JsonObject error = step(task, "notify").getJsonObject("error");
    assertThat(error.getString("type")).isEqualTo("ValidationError");
    assertThat(error.getString("message")).isEqualTo("sealed");

    assertThat(tablesWith("secret")).isEmpty();
    assertThat(server.log()).doesNotContain(ACCOUNT).doesNotContain(TAN);
    for (String answer : List.of("", "/workflow_steps", "/history", "/children")) {
      assertThat(tasker.get("/v1/tasks/" + task + answer).body()).as(answer)
          .doesNotContain("secret");
    }
    assertThat(tasker.get("/v1/domain-events?namespace=testing").body()).doesNotContain("secret");
  }

  /** Rows of any table that have the text. */
  private List<String> tablesWith(String text) {
    return tasker.sql("select table_schema || '.' || table_name as name from"
        + " information_schema.tables where table_schema in ('tasker', 'pgmq')"
        + " and table_type = 'BASE TABLE'").stream().map(row -> row.get("name").toString())
        .filter(table -> tasker.count("select count(*) from " + table + " t where t::text like ?",
            "%" + text + "%") > 0)
        .toList();
  }

  @Test
  void those_who_may_open_it_and_that_is_recorded() {
    UUID task = tasker.submit("testing", "transfer", context());
    TaskerClient.until("the first step is done", PATIENCE,
        () -> step(task, "check").getString("state").equals("complete"));
    String check = step(task, "check").getString("step_uuid");

    Answer opened = open(tasker, task.toString());
    assertThat(opened.status()).as("%s", opened).isEqualTo(200);
    assertThat(opened.object().getJsonObject("context").getString("iban")).isEqualTo(ACCOUNT);
    Answer step = open(tasker, task + "/workflow_steps/" + check);
    assertThat(step.object().getJsonObject("step").getJsonObject("result")
        .getString("iban")).isEqualTo(ACCOUNT);
    assertThat(step.object().getJsonArray("results").getJsonObject(0).getJsonObject("error")
        .getJsonObject("sealed").getString("message")).isEqualTo("seen " + ACCOUNT);
    assertThat(tasker.get("/v1/tasks/" + task + "/history").body()).contains("open_documents",
        "the customer asks");

    UUID changed = UUID.fromString(tasker.value("select tasker.submit_task('testing', 'transfer',"
        + " '1.0.0', ?::jsonb, '{\"context_checked\": true}')::text",
        "{\"iban\": {\"$sealed\": {\"key\": \"first\", \"data\": \"AAAA\"}}}").toString());
    Answer notOpened = open(tasker, changed.toString());
    assertThat(notOpened.status()).as("%s", notOpened).isEqualTo(409);
    assertThat(notOpened.text("code")).isEqualTo("document-not-opened");

    TaskerClient reader = tasker.asOneWhoMay(List.of("tasks:* in testing", "steps:* in testing"));
    assertThat(open(reader, task.toString()).status()).isEqualTo(403);
    assertThat(tasker.post("/v1/tasks/" + task + "/open", "{}").status()).isEqualTo(400);
    assertThat(open(tasker, UUID.randomUUID().toString()).status()).isEqualTo(404);
  }

  @Test
  void what_is_sealed_may_be_sent_again_and_clear_text_not_past_the_server() {
    UUID task = tasker.submit("testing", "transfer", context());
    JsonObject sealed = tasker.get("/v1/tasks/" + task).object().getJsonObject("context");

    UUID again = tasker.submit("testing", "transfer", sealed.toString());

    assertThat(tasker.get("/v1/tasks/" + again).object().getJsonObject("context"))
        .isEqualTo(sealed);
    TaskerClient.until("its handler has it", PATIENCE,
        () -> step(again, "check").getString("state").equals("complete"));
    assertThatThrownBy(() -> tasker.sql(
        "select tasker.submit_task('testing', 'transfer', '1.0.0', ?::jsonb)", context()))
        .hasMessageContaining("context/iban must be sealed");
    Answer misfit = tasker.post("/v1/tasks",
        TaskerClient.taskRequest("testing", "transfer", "{\"iban\": 4712}"));
    assertThat(misfit.status()).isEqualTo(400);
    assertThat(misfit.body()).contains("context/iban").contains("does not fit its schema")
        .doesNotContain("4712");
  }

  @Test
  void a_worker_outside_gets_it_open_if_it_may() {
    String steps = "steps:\n  - {name: pay, handler: {callable: remote.Pay}, result_schema: "
        + ACCOUNTS + "}\n";
    assertThat(tasker.postTemplate("name: paid\nnamespace_name: outside\nversion: 1.0.0\n"
        + "identity_strategy: always_unique\ninput_schema: " + ACCOUNTS + "\n" + steps).status())
        .isEqualTo(201);
    TaskerClient mayOpen = tasker
        .asOneWhoMay(List.of("steps:work in outside", "documents:open in outside"));
    TaskerClient mayNot = tasker.asOneWhoMay(List.of("steps:work in outside"));

    UUID first = tasker.submit("outside", "paid", context());
    assertThat(claimed(mayOpen, first, true)).isEqualTo("\"" + ACCOUNT + "\"");
    UUID second = tasker.submit("outside", "paid", context());
    assertThat(claimed(mayNot, second, false)).startsWith("{\"$sealed\":");

    for (UUID task : List.of(first, second)) {
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
      assertThat(step(task, "pay").getJsonObject("result").get("iban").toString())
          .startsWith("{\"$sealed\":");
    }
    assertThat(tablesWith("secret")).isEmpty();
  }

  /** Claims and completes the step of a task; the account that it got. */
  private static String claimed(TaskerClient worker, UUID task, boolean isOpen) {
    String uuid = worker.post("/v1/workers", TaskerClient.quoted("{'name': 'a test',"
        + " 'namespaces': ['outside'], 'capacity': 1, 'handlers': ['remote.Pay']}"))
        .text("worker_uuid");
    List<JsonObject> steps = worker.post("/v1/workers/" + uuid + "/claims",
        "{\"max\": 1, \"wait_seconds\": 20}").list("steps");
    assertThat(steps).hasSize(1);
    JsonObject step = steps.get(0);
    assertThat(step.getString("task_uuid")).isEqualTo(task.toString());
    String account = step.getJsonObject("context").get("iban").toString();
    Answer done = worker.post("/v1/workers/" + uuid + "/results",
        "{\"results\": [{\"step_uuid\": \"" + step.getString("step_uuid") + "\", \"handoff\": 1,"
            + " \"outcome\": \"success\", \"result\": {\"iban\": "
            + (isOpen ? account : "\"another secret\"") + "}}]}");
    assertThat(done.status()).as("%s", done).isEqualTo(200);
    return account;
  }

  /** Beside it, without a keystore, a server with the codec of an application. */
  @Test
  void an_application_seals_in_its_own_way_and_a_key_that_is_missing_stops_nothing_else() {
    Path war = TestServer.warWith("tasker-ee-sealing.war",
        plain -> plain.addPackages(true, "ee.tasker.testing.sealing"));
    try (EmbeddedDatabase other = TestServer.newDatabase();
        TestServer own = TestServer.starting(other, TestServer.freePort(),
            Map.of("TASKER_POLL_INTERVAL_SECONDS", "1"), war).awaitReady()) {
      TaskerClient client = own.client();
      assertThat(client.postTemplate(TEMPLATE).status()).isEqualTo(201);
      assertThat(client.postTemplate(
          "name: plain\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n"
              + "  - {name: a, handler: {callable: testing.Echo}}\n")
          .status()).isEqualTo(201);

      UUID task = client.submit("testing", "transfer", context());
      TaskerClient.until("its handler has it", PATIENCE, () -> client.count(
          "select count(*) from tasker.workflow_steps where task_uuid = ? and state = 'complete'",
          task) == 1);

      JsonObject sealed = client.get("/v1/tasks/" + task).object().getJsonObject("context");
      assertThat(sealed.getJsonObject("iban").getJsonObject("$sealed").getString("key"))
          .isEqualTo("of-the-application");
      // The handler of the next task cannot open its context, and says so; others run.
      Answer unknown = client.post("/v1/tasks", TaskerClient.taskRequest("testing", "transfer",
          sealed.toString().replace("of-the-application", "lost")));
      assertThat(unknown.status()).as("%s", unknown).isEqualTo(503);
      assertThat(unknown.text("code")).isEqualTo("document-key-missing");
      UUID plain = client.submit("testing", "plain", "{}");
      assertThat(client.awaitTerminalOrBlocked(plain).getString("state")).isEqualTo("complete");
      assertThat(History.broken(client)).isEmpty();
    }
  }
}
