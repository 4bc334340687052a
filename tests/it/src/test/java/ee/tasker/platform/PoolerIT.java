package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Program;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers behind a real PgBouncer, in the modes that it has. */
@Tag("long")
class PoolerIT {
  private static final int REQUESTS = 100;
  /** No two tasks are the same. */
  private static final AtomicInteger NUMBERS = new AtomicInteger();
  private static Cluster cluster;

  @TempDir
  private Path folder;
  private Process pooler;
  private final int port = TestServer.freePort();

  @BeforeAll
  static void start() {
    Program.PGBOUNCER.require();
    cluster = new Cluster();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @AfterEach
  void stopPooler() throws InterruptedException {
    if (pooler != null) {
      pooler.destroy();
      pooler.waitFor(20, TimeUnit.SECONDS);
    }
  }

  /**
   * Few sessions, so that transactions change them all the time. It refuses to be root and then
   * runs as another user, who has to read its files.
   */
  private void pool(String mode) {
    try {
      boolean isRoot = ProcessHandle.current().info().user().orElse("").equals("root");
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.writeString(folder.resolve("users.txt"), "\"tasker\" \"tasker\"\n");
      Files.writeString(folder.resolve("pgbouncer.ini"),
          """
          [databases]
          tasker = host=127.0.0.1 port=%d
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = plain
          auth_file = %s
          pool_mode = %s
          default_pool_size = %d
          max_client_conn = 200
          ignore_startup_parameters = extra_float_digits
          %s
          """.formatted(cluster.port(), port, folder.resolve("users.txt"), mode,
              mode.equals("session") ? 100 : 5, isRoot ? "user = nobody" : ""));
      pooler = new ProcessBuilder(Program.PGBOUNCER.command(),
          folder.resolve("pgbouncer.ini").toString()).redirectErrorStream(true)
          .redirectOutput(folder.resolve("pgbouncer.log").toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    TaskerClient.until("PgBouncer listens", Duration.ofSeconds(20), () -> {
      try (Socket socket = new Socket("127.0.0.1", port)) {
        return socket.isConnected();
      } catch (IOException e) {
        return false;
      }
    });
  }

  private TestServer starting(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(
        Map.of("DB_HOST", "127.0.0.1", "DB_PORT", Integer.toString(port),
            // A server that has just started on a busy machine would ask some to come again.
            "TASKER_API_MAX_QUEUE_MILLIS", "60000"));
    all.putAll(settings);
    return TestServer.starting(cluster.database(), all);
  }

  private static Map<String, String> fitting() {
    return Map.of("DB_PREPARE_THRESHOLD", "0", "DB_LISTEN_HOST", "127.0.0.1", "DB_LISTEN_PORT",
        Integer.toString(cluster.port()));
  }

  /** So many at once that sessions change hands, each one waiting for its task. */
  private static void assertThatAllRequestsAreGood(TestServer server) {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    TaskerClient tasker = server.client();
    for (int i = 0; i < REQUESTS; i++) {
      answers.add(tasker.sendLater(tasker.request("/v1/tasks?wait=30")
          .header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(
              TaskerClient.taskRequest("linear", "mathematical_sequence",
                  "{\"even_number\": " + NUMBERS.addAndGet(2) + "}")))));
    }
    List<String> bad = IntStream.range(0, REQUESTS).mapToObj(i -> answers.get(i).join())
        .filter(answer -> answer.status() / 100 != 2
            || !answer.object().getString("state").equals("complete"))
        .map(Answer::toString).toList();
    assertThat(bad).as("of " + REQUESTS + " requests").isEmpty();
    assertThat(server.log()).doesNotContain("prepared statement");
  }

  private static JsonObject check(TestServer server, String name) {
    return server.client().get("/health/ready").object().getJsonArray("checks")
        .getValuesAs(JsonObject.class).stream()
        .filter(check -> check.getString("name").equals(name)).findFirst().orElseThrow();
  }

  private static boolean listens(TestServer server) {
    return check(server, "listener").getJsonObject("data").get("connected").toString()
        .contains("true");
  }

  private static int lines(TestServer server, String id) {
    return (int) Pattern.compile(id).matcher(server.log()).results().count();
  }

  @Test
  void in_transaction_mode_with_both_settings_all_requests_are_good() {
    pool("transaction");
    try (TestServer server = starting(fitting()).awaitReady()) {
      TaskerClient.until("it listens", Duration.ofSeconds(20), () -> listens(server));
      assertThatAllRequestsAreGood(server);
      assertThat(lines(server, "TK1508|TK1406|TK1501|TK1503")).isZero();
    }
  }

  @Test
  void in_session_mode_nothing_needs_to_be_set() {
    pool("session");
    try (TestServer server = starting(Map.of()).awaitReady()) {
      TaskerClient.until("it listens", Duration.ofSeconds(20), () -> listens(server));
      assertThatAllRequestsAreGood(server);
      assertThat(lines(server, "TK1508|TK1406|TK1501|TK1503")).isZero();
    }
  }

  private static void awaitUnready(TestServer server, String reason) {
    TaskerClient.until("health says it", Duration.ofSeconds(120), () -> {
      try {
        Answer ready = server.client().get("/health/ready");
        return ready.status() == 503 && ready.body().contains(reason);
      } catch (UncheckedIOException notYet) {
        return false;
      }
    });
  }

  @Test
  void in_statement_mode_it_waits_and_says_why() {
    pool("statement");
    try (TestServer server = starting(Map.of())) {
      awaitUnready(server, "statement mode");
      assertThat(lines(server, "TK1508")).isEqualTo(1);
    }
  }

  @Test
  void in_transaction_mode_with_prepared_statements_it_waits_and_says_why_in_one_line() {
    pool("transaction");
    try (TestServer server = starting(Map.of())) {
      awaitUnready(server, "DB_PREPARE_THRESHOLD=0");
      TaskerClient.pause(Duration.ofSeconds(5));
      assertThat(lines(server, "TK1508")).isEqualTo(1);
      assertThat(lines(server, "TK1005")).isZero();

      // The other remedy: another mode of the pooler, without a restart of the server.
      stopPooler();
      pool("session");
      server.awaitReady();
      assertThat(Cluster.runTask(server, NUMBERS.addAndGet(2))).isEqualTo("complete");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void a_listening_connection_in_transaction_mode_is_no_connection_and_said_in_one_line() {
    pool("transaction");
    try (TestServer server = starting(Map.of("DB_PREPARE_THRESHOLD", "0")).awaitReady()) {
      TaskerClient.until("health says it", Duration.ofSeconds(60),
          () -> check(server, "listener").toString().contains("DB_LISTEN_HOST"));
      assertThat(listens(server)).isFalse();
      TaskerClient.pause(Duration.ofSeconds(12));
      assertThat(lines(server, "TK1406")).isEqualTo(1);
      assertThat(lines(server, "TK1402")).isZero();
      // The poller finds all work.
      assertThat(Cluster.runTask(server, NUMBERS.addAndGet(2))).isEqualTo("complete");
    }
  }
}
