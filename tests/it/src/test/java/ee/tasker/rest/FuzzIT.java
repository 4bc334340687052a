package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.rest.Contract.Operation;
import ee.tasker.rest.FuzzedRequests.Fuzzed;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests generated from the server's own OpenAPI document, sent as administrator, so that they
 * pass the permission checks. For every request, the answer is one that the document
 * describes, never an internal error, and reveals no internals; a refused request leaves no row.
 * {@code -Dtasker.fuzz.seed=} begins elsewhere, {@code -Dtasker.fuzz.seconds=} and
 * {@code -Dtasker.fuzz.requests=} go on for longer.
 */
@Tag("long")
class FuzzIT {
  private static final long SEED = Long.getLong("tasker.fuzz.seed", 20261122L);
  private static final List<Integer> KINDS = List.of(200, 201, 400, 404, 409, 415);
  private static final Duration LONGEST = Duration
      .ofSeconds(Long.getLong("tasker.fuzz.seconds", 25L));
  private static final int MOST = Integer.getInteger("tasker.fuzz.requests", 1_500);
  /**
   * A request for a change is recorded before its permission is checked; the servers' own
   * heartbeats; Flyway's own table; and the figures of
   * analytics, which a server rolls up from earlier moves, also while a request is refused.
   */
  private static final String NOT_COUNTED = "'write_requests', 'servers', 'flyway_schema_history', 'task_state_tallies', 'step_state_tallies', 'task_tallies', 'step_tallies', 'duration_tallies', 'metric_totals', 'metric_templates', 'analytics_progress'";
  /**
   * No timer runs while the rows are counted: all work is done at once, in the transaction of the
   * request or right after it.
   */
  private static final Map<String, String> QUIET = Map.of("TASKER_HOUSEKEEPING_INTERVAL_SECONDS",
      "3600", "TASKER_POLL_INTERVAL_SECONDS",
      "3600");
  private static final ServerFacts FACTS = ServerFacts.ofThisServer();
  /**
   * Paths that an application server refuses before any application sees them: what they say of it
   * is its own.
   */
  private static final Pattern REFUSED_BY_THE_SERVER = Pattern
      .compile("^[^?]*%(?:00|5c|2f|2e|0d|0a|ff|c0).*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Set<String> WHAT_IS_INSIDE = Set.of("Exception", "\tat ", "ee.tasker",
      "org.postgresql", "java.lang", "java.util",
      "jakarta.", "com.ibm", "org.jboss", "org.eclipse", "SQLSTATE", "ERROR:", "select ",
      "insert into");

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient admin;
  /** Kept: each new one would read the catalogue of all tables again. */
  private static Connection counting;

  private final Map<String, List<String>> known = new HashMap<>();
  private Contract contract;
  private String itself;
  private Map<String, Long> rows;

  @BeforeAll
  static void start() throws SQLException {
    database = TestServer.newDatabase();
    server = TestServer.start(database, QUIET);
    admin = server.client();
    admin.register("/testing/templates.yaml");
    counting = admin.connect();
  }

  @AfterAll
  static void stop() throws SQLException {
    counting.close();
    server.close();
    database.close();
  }

  private void know(String name, String value) {
    known.computeIfAbsent(name, each -> new ArrayList<>()).add(value);
  }

  private void knowWhatIsThere() {
    for (String template : List.of("hello", "hello", "checked_hello", "strict_hello", "fail")) {
      know("name", template);
      know("template", template);
    }
    know("namespace", "testing");
    know("version", "1.0.0");
    for (int i = 0; i < 8; i++) {
      UUID task = admin.submit("fail",
          i % 4 == 0 ? "{\"way\": \"fine\"}" : "{\"way\": \"permanent\"}");
      admin.awaitTerminalOrBlocked(task);
      know("task_uuid", task.toString());
      know("step_uuid", admin.steps(task).get("fail").getString("step_uuid"));
      if (i % 4 != 0) {
        know("dlq_entry_uuid", admin.get("/v1/dlq/task/" + task).text("dlq_entry_uuid"));
      }
    }
    assertThat(admin.postTemplate(
        "name: turns\nnamespace_name: testing\nversion: 1.0.0\nsteps:\n  - {name: a, handler: {callable: testing.Echo}, concurrency: [{limit: 1}]}\n")
        .status()).isEqualTo(201);
    know("schedule_uuid", admin.post("/v1/schedules",
        TaskerClient.quoted(
            "{'namespace': 'testing', 'name': 'fuzzed', 'template': 'turns', 'cron': '@yearly'}"))
        .text("schedule_uuid"));
    know("webhook_uuid", admin.post("/v1/webhooks",
        TaskerClient.quoted(
            "{'namespace': 'testing', 'name': 'fuzzed', 'url': 'https://books.example.com/'}"))
        .text("webhook_uuid"));
    know("policy_uuid",
        admin.value("select policy_uuid from tasker.concurrency_policies").toString());
    Answer user = admin.post("/v1/access/users",
        TaskerClient.quoted(
            "{'name': 'fuzzed', 'password': 'only for this test', 'grants': [{'role': 'viewer'}]}"));
    know("user_uuid", user.text("user_uuid"));
    know("key_uuid",
        admin.post("/v1/access/keys", TaskerClient.quoted("{'name': 'fuzzed'}")).text("key_uuid"));
    know("grant_uuid",
        admin.get("/v1/access/users").object().getJsonArray("users").getValuesAs(JsonObject.class)
            .stream()
            .filter(each -> each.getString("name").equals("fuzzed"))
            .findFirst().orElseThrow().getJsonArray("grants").getJsonObject(0)
            .getString("grant_uuid"));
    know("token",
        admin
            .post("/v1/bulk-actions",
                TaskerClient.quoted(
                    "{'action_type': 'retry', 'requested_by': 'x', 'reason': 'x', 'filter': {'name': 'fail'}}"))
            .text("token"));
    itself = admin.get("/v1/servers").object().getJsonArray("servers").getJsonObject(0)
        .getString("server_uuid");
    know("server_uuid", itself);
    know("requested_by", "fuzz");
    know("state", "blocked_by_failures");
    know("role", "viewer");
    know("permission", "tasks:read");
    know("trace_parent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  }

  @Test
  void every_request_is_answered_as_described_and_leaves_nothing_behind_when_refused() {
    contract = new Contract(admin.get("/openapi").object());
    knowWhatIsThere();
    // A start page and health are the application server's.
    List<Operation> operations = contract.operations().stream()
        .filter(operation -> operation.isUnderV1() || operation.path().equals("/metrics")).toList();
    FuzzedRequests requests = new FuzzedRequests(contract, known, SEED);
    Map<Integer, Integer> statuses = new TreeMap<>();
    List<String> findings = new ArrayList<>();
    long end = System.nanoTime() + LONGEST.toNanos();
    int sent = 0;
    rows = quietRows();
    // On a busy machine longer, until each kind of answer was among them.
    while (sent < MOST && (System.nanoTime() < end || !statuses.keySet().containsAll(KINDS))) {
      Fuzzed request = requests.next(operations.get(sent % operations.size()));
      int number = sent++;
      try {
        statuses.merge(tried(request), 1, Integer::sum);
      } catch (AssertionError | RuntimeException finding) {
        findings
            .add("request " + number + " of seed " + SEED + ": " + request + "\n    " + finding);
        rows = quietRows();
      }
    }
    System.out.println("fuzz: seed " + SEED + ", " + sent + " requests, answers " + statuses);

    assertThat(findings).as("of %s requests, seed %s", sent, SEED).isEmpty();
    assertThat(statuses.keySet()).as("success, and refusals of many kinds, were among them")
        .containsAll(KINDS);
  }

  /** @return the status of the answer, in which nothing was found to be wrong */
  private int tried(Fuzzed request) {
    HttpRequest.Builder builder = admin.request(request.uri()).setHeader("Accept", "*/*");
    request.headers().forEach(builder::setHeader);
    Answer answer = admin.sendForBeginning(builder.method(request.method(),
        request.body().length == 0 ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofByteArray(request.body())));
    if (answer.status() / 100 == 2) {
      putBack(request.operation());
      rows = quietRows();
    } else {
      assertRefused(request, answer);
      Map<String, Long> before = rows;
      rows = rows();
      assertThat(grown(before, rows)).as("rows that are left by what was refused: %s", answer)
          .isEmpty();
    }
    if (request.isPlain() && !mayBeRefusedByTheServer(request)) {
      contract.check(request.operation(), answer);
    }
    return answer.status();
  }

  /**
   * Before the application sees them: paths with encoded characters of structure, and where
   * it answers a body with GET or DELETE by 400 and nothing more.
   */
  private static boolean mayBeRefusedByTheServer(Fuzzed request) {
    return REFUSED_BY_THE_SERVER.matcher(request.uri()).matches()
        || FACTS.is("get.body-refused") && request.body().length > 0
            && !Set.of("POST", "PUT", "PATCH").contains(request.method());
  }

  private static void assertRefused(Fuzzed request, Answer answer) {
    assertThat(answer.status()).as("%s", answer).isBetween(400, 499);
    if (mayBeRefusedByTheServer(request)) {
      assertThat(answer.body()).as("%s", answer).doesNotContain("ee.tasker", "org.postgresql");
      return;
    }
    assertThat(answer.header("Content-Type")).as("%s", answer)
        .startsWith("application/problem+json");
    assertThat(answer.object().getInt("status")).as("%s", answer).isEqualTo(answer.status());
    assertThat(answer.text("type")).startsWith("urn:tasker:problem:");
    assertThat(WHAT_IS_INSIDE).as("%s", answer).noneMatch(answer.body()::contains);
  }

  /**
   * What would keep the requests that follow from getting far: paused templates and a server that
   * takes no part.
   */
  private void putBack(Operation operation) {
    if (operation.id().equals("changeServer")) {
      admin.send(admin.request("/v1/servers/" + itself).header("Content-Type", "application/json")
          .method("PATCH", HttpRequest.BodyPublishers.ofString(
              TaskerClient.quoted(
                  "{'paused_roles': [], 'draining': false, 'worker_capacity': 4, 'poll_interval_seconds': 3600, 'requested_by': 'x', 'reason': 'x'}"))));
    } else if (operation.id().equals("pause")) {
      admin.get("/v1/pauses").object().getJsonArray("pauses").getValuesAs(JsonObject.class)
          .forEach(paused -> admin.delete("/v1/pauses?requested_by=x&reason=x&namespace="
              + paused.getString("namespace")
              + (paused.isNull("name") ? "" : "&name=" + paused.getString("name"))
              + (paused.isNull("version") ? "" : "&version=" + paused.getString("version"))));
    }
  }

  private static Map<String, Long> grown(Map<String, Long> before, Map<String, Long> after) {
    Map<String, Long> grown = new TreeMap<>(after);
    grown.entrySet().removeIf(table -> table.getValue() <= before.getOrDefault(table.getKey(), 0L));
    return grown;
  }

  private static Map<String, Long> rows() {
    Map<String, Long> counts = new TreeMap<>();
    counted(
        "select format('%I.%I', table_schema, table_name) as name, (xpath('/row/rows/text()', query_to_xml(format('select count(*) as rows from %I.%I', table_schema, table_name), false, true, '')))[1]::text::bigint as rows "
            + "from information_schema.tables where table_schema in ('tasker', 'pgmq') and table_type = 'BASE TABLE' and table_name not in ("
            + NOT_COUNTED + ")")
        .forEach(table -> counts.put((String) table.get("name"), (Long) table.get("rows")));
    return counts;
  }

  private static List<Map<String, Object>> counted(String sql) {
    try {
      return TaskerClient.sql(counting, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Counted when no step is on its way and two counts agree. */
  private static Map<String, Long> quietRows() {
    List<Map<String, Long>> last = new ArrayList<>(List.of(Map.of()));
    TaskerClient.until("nothing moves any more", Duration.ofSeconds(20), () -> {
      Map<String, Long> now = rows();
      boolean isQuiet = now.equals(last.get(0))
          && counted("select from tasker.tasks where in_flight_steps > 0 limit 1").isEmpty();
      last.set(0, now);
      return isQuiet;
    });
    return last.get(0);
  }
}
