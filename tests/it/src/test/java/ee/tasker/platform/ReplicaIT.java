package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.rest.StaleRoutes;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Reads on a real standby whose replay stands still while the primary goes on, and on one that is
 * down.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReplicaIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ALLOWED = "Tasker-Max-Staleness";
  private static final String STALENESS = "Tasker-Staleness";
  /** With arguments that reach every branch which reads; the standby has one finished task. */
  private static final Map<String, String> CALLS = new TreeMap<>(Map.of(
      "list_tasks", "tasker.list_tasks('{\"name\": \"hello\", \"order\": \"newest\"}', 25, null)",
      "count_tasks", "tasker.count_tasks('{}')",
      "explain_tasks", "tasker.explain_tasks((select array_agg(task_uuid) from tasker.tasks))",
      "get_task_captions",
      "tasker.get_task_captions((select array_agg(task_uuid) from tasker.tasks))",
      "group_failures", "tasker.group_failures('{}', 24, 50)",
      "get_performance_document", "tasker.get_performance_document(24)",
      "get_bottleneck_document", "tasker.get_bottleneck_document(24, 10, 1, null, null, null)",
      "get_timeline_document", "tasker.get_timeline_document(60, null)",
      "get_dlq_documents", "tasker.get_dlq_documents('{}', 25, null)",
      "list_write_requests", "tasker.list_write_requests('{}', 25, null)"));

  private final EmbeddedDatabase primary = TestServer.newDurableDatabase();
  private EmbeddedDatabase standby;
  private TestServer server;
  private TaskerClient tasker;
  private UUID known;

  @BeforeAll
  void start() throws SQLException {
    onPrimary("alter system set wal_keep_size = '1GB'", "select pg_reload_conf()");
    int port = TestServer.freePort();
    // Before the server, whose connections may take the port.
    standby = TestServer.newStandby(primary, port);
    server = TestServer.start(primary,
        Map.of("DB_REPLICA_HOST", "127.0.0.1", "DB_REPLICA_PORT", Integer.toString(port),
            "TASKER_REPLICA_MAX_STALENESS_SECONDS", "3600", "TASKER_REPLICA_DATA_SOURCE",
            ServerFacts.ofThisServer().text("replica.data-source")));
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
    known = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(known);
  }

  @AfterAll
  void stop() {
    server.close();
    standby.close();
    primary.close();
  }

  @BeforeEach
  void replay() throws SQLException {
    onStandby("select pg_wal_replay_resume()");
    awaitReplay();
  }

  @Test
  @Order(1)
  void list_that_may_be_stale_comes_from_the_standby_and_tells_how_stale_it_is() {
    Answer stale = readOnReplica("/v1/tasks", 10);

    assertThat(stale.list("tasks")).extracting(task -> task.getString("task_uuid"))
        .contains(known.toString());
    assertThat(Double.parseDouble(stale.header(STALENESS))).isBetween(0.0, 10.0);
    assertThat(usable(replica())).isEqualTo("true");
    assertThat(tasker.get("/metrics").body())
        .containsPattern("tasker_replica_reads_total\\{outcome=\"answered\"} [1-9]");
  }

  @Test
  @Order(2)
  void replay_stands_still_and_only_reads_that_allow_it_lack_the_latest_task() throws SQLException {
    readOnReplica("/v1/tasks", 3600);
    onStandby("select pg_wal_replay_pause()");
    TaskerClient.until("replay stands still", PATIENCE,
        () -> "paused"
            .equals(TestServer.clientOf(standby).value("select pg_get_wal_replay_pause_state()")));
    UUID latest = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(latest);

    Answer stale = list("/v1/tasks", 3600);
    assertThat(stale.header(STALENESS)).as(stale.toString()).isNotEmpty();
    assertThat(uuids(stale)).contains(known.toString()).doesNotContain(latest.toString());

    for (Answer fresh : List.of(tasker.get("/v1/tasks"), list("/v1/tasks", 0))) {
      assertThat(fresh.headers().firstValue(STALENESS)).isEmpty();
      assertThat(uuids(fresh)).contains(latest.toString());
    }
    // What names a task is read from the primary, whatever the header says.
    Answer byKey = list("/v1/tasks/" + latest, 3600);
    assertThat(byKey.text("state")).isEqualTo("complete");
    assertThat(byKey.headers().firstValue(STALENESS)).isEmpty();
  }

  @Test
  @Order(3)
  void read_that_allows_less_than_the_lag_is_answered_by_the_primary() throws SQLException {
    readOnReplica("/v1/tasks", 3600);
    onStandby("select pg_wal_replay_pause()");
    UUID latest = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(latest);

    TaskerClient.until("the standby is more than a second behind", PATIENCE, () -> {
      Answer answer = list("/v1/tasks", 1);
      if (answer.header(STALENESS).isEmpty()) {
        assertThat(uuids(answer)).contains(latest.toString());
        return true;
      }
      assertThat(Double.parseDouble(answer.header(STALENESS))).isLessThanOrEqualTo(1.0);
      return false;
    });
    JsonObject replica = replica();
    assertThat(usable(replica)).isEqualTo("false");
    assertThat(replica.getString("problem")).contains("behind");
  }

  @Test
  @Order(4)
  void permissions_are_those_of_the_primary() throws SQLException {
    TaskerClient reader = tasker.asOneWhoMay(List.of("tasks:list"));
    assertThat(reader.get("/v1/tasks").status()).isEqualTo(200);
    readOnReplica("/v1/tasks", 3600);
    onStandby("select pg_wal_replay_pause()");
    // The user of another client does not exist on the standby, and may read there as soon as the
    // primary knows it.
    TaskerClient later = tasker.asOneWhoMay(List.of("system:metrics_read"));

    Answer refused = later.send(later.request("/v1/tasks").header(ALLOWED, "3600").GET());

    assertThat(refused.status()).isEqualTo(403);
  }

  @Test
  @Order(5)
  void invalid_header_is_refused() {
    for (String value : List.of("-1", "3601", "soon")) {
      Answer refused = tasker.send(tasker.request("/v1/tasks").header(ALLOWED, value).GET());
      assertThat(refused.status()).as(value).isEqualTo(400);
      assertThat(refused.fields()).containsExactly(ALLOWED);
    }
  }

  /** A function that writes would fail here: the standby refuses it. */
  @Test
  @Order(6)
  void each_function_that_may_run_on_a_standby_does() throws SQLException {
    assertThat(routed()).as("functions that gateways call with ReadFunctions")
        .isEqualTo(CALLS.keySet());
    try (Connection connection = connect(standby);
        Statement statement = connection.createStatement()) {
      for (String call : CALLS.values()) {
        try (var rows = statement.executeQuery("select " + call)) {
          assertThat(rows.next()).as(call).isTrue();
        }
      }
    }
  }

  @Test
  @Order(7)
  void each_route_that_may_be_stale_is_answered_by_the_standby() {
    for (String route : StaleRoutes.all()) {
      readOnReplica("/v1/" + route, 3600);
    }
  }

  @Test
  @Order(8)
  void standby_is_down_and_the_primary_answers() {
    standby.close();

    Answer answer = list("/v1/tasks", 3600);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.headers().firstValue(STALENESS)).isEmpty();
    assertThat(uuids(answer)).contains(known.toString());
    JsonObject replica = replica();
    assertThat(usable(replica)).isEqualTo("false");
    assertThat(replica).containsKey("problem");
    assertThat(tasker.get("/health/ready").status()).isEqualTo(200);
    assertThat(server.log()).contains("TK1506");

    standby.start();
    readOnReplica("/v1/tasks", 3600);
    TaskerClient.until("its return is told", PATIENCE, () -> server.log().contains("TK1507"));
  }

  @Test
  @Order(9)
  void promoted_standby_is_no_replica() throws SQLException {
    onStandby("select pg_promote(true, 60)");

    Answer answer = list("/v1/tasks", 3600);

    assertThat(answer.headers().firstValue(STALENESS)).isEmpty();
    assertThat(uuids(answer)).contains(known.toString());
  }

  /** A server may give all of its health values as text. */
  private static String usable(JsonObject replica) {
    return replica.get("usable").toString().replace("\"", "");
  }

  /** A position that the standby has replayed is known after a read or two. */
  private Answer readOnReplica(String path, int allowed) {
    Answer[] last = new Answer[1];
    TaskerClient.until("the standby answers " + path, PATIENCE, () -> {
      last[0] = list(path, allowed);
      assertThat(last[0].status()).as(last[0].toString()).isEqualTo(200);
      return !last[0].header(STALENESS).isEmpty();
    });
    return last[0];
  }

  private Answer list(String path, int allowed) {
    return tasker.send(tasker.request(path).header(ALLOWED, Integer.toString(allowed)).GET());
  }

  private static List<String> uuids(Answer page) {
    return page.list("tasks").stream().map(task -> task.getString("task_uuid")).toList();
  }

  private JsonObject replica() {
    return tasker.get("/health/ready").list("checks").stream()
        .filter(check -> check.getString("name").equals("replica")).findFirst()
        .orElseThrow().getJsonObject("data");
  }

  private static Set<String> routed() {
    Set<String> names = new TreeSet<>();
    Pattern call = Pattern.compile("reads\\.object\\(\"([a-z_]+)\\(");
    try (var files = Files.walk(Path.of(System.getProperty("tasker.checkout"), "src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith("Gateway.java")).toList()) {
        Matcher calls = call.matcher(Files.readString(file));
        while (calls.find()) {
          names.add(calls.group(1));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return names;
  }

  private void awaitReplay() {
    Object written = TestServer.clientOf(primary).value("select pg_current_wal_lsn()::text");
    TaskerClient.until("the standby has replayed", PATIENCE,
        () -> (Boolean) TestServer.clientOf(standby)
            .value("select pg_last_wal_replay_lsn() >= ?::pg_lsn", written));
  }

  private void onPrimary(String... statements) throws SQLException {
    run(primary, statements);
  }

  private void onStandby(String... statements) throws SQLException {
    run(standby, statements);
  }

  private static void run(EmbeddedDatabase database, String... statements) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static Connection connect(EmbeddedDatabase database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + database.address().port() + "/tasker?user=postgres");
  }
}
