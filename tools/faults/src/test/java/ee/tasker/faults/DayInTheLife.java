package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.release.InstallScript;
import ee.tasker.release.Versions;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.Program;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A day of an installation whose database belongs to an administrator, under a load that never
 * stops: installed with psql, upgraded while it works, its password changed, its primary lost, and
 * a copy of it looked at. What was acknowledged is completed, once.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=DayInTheLife}; needs psql.
 */
class DayInTheLife {
  private static final double RATE = Double.parseDouble(System.getProperty("day.rate", "10"));
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Path CHECKOUT = Path.of(System.getProperty("tasker.checkout"));
  /** Not those by which steps of servers that a copy does not have are offered again. */
  private static final String MOVES = "select (select count(*) from tasker.task_transitions)"
      + " + (select count(*) from tasker.workflow_step_transitions where actor = 'worker')";

  @TempDir
  private Path folder;

  private final DatabasePair databases = new DatabasePair();
  private final Acknowledged acknowledged = new Acknowledged();
  private final List<String> table = new ArrayList<>();
  private Servers servers;
  private SteadyLoad load;

  /** What an administrator does. */
  private interface Deed {
    void happen() throws Exception;
  }

  @AfterEach
  void stop() {
    if (servers != null) {
      servers.close();
    }
    databases.close();
  }

  @Test
  void what_was_acknowledged_on_a_busy_day_is_completed_once() throws Exception {
    Program.PSQL.require();
    makeLogins();
    install(CHECKOUT.resolve("db"), Versions.of(CHECKOUT));
    servers = new Servers(databases, "day", settings());
    letTheTestsLook();
    servers.start();
    servers.client(0).register("/testing/rolling.yaml");
    load = new SteadyLoad(servers.bases(), RATE, Submissions::line, acknowledged::note);
    load.begin(Integer.MAX_VALUE);
    awaitLoad();

    Path next = NextVersion.war();
    phase("the next version is installed with psql",
        () -> install(NextVersion.db(), NextVersion.VERSION));
    phase("the first server is replaced", () -> servers.replaceWith(0, next));
    phase("the second server is replaced", () -> servers.replaceWith(1, next));
    phase("the password of the servers is changed", this::changePassword);
    phase("the primary is killed, its standby promoted", () -> {
      databases.killPrimary();
      databases.promote();
    });
    phase("the lost primary comes back as a standby", () -> databases.rebuildStandby(true));
    phase("a copy is looked at", this::lookAtACopy);

    load.stop();
    report();
    assertThat(load.refusals()).as("no server tells of an internal error")
        .doesNotContainKey("500 internal-error");
    expectSound();
  }

  // ---- The installation

  private void makeLogins() throws IOException {
    writePassword("first");
    databases.onPrimary("create role installing login createrole password 'installing'",
        "create role tasker_owner nologin", "grant tasker_owner to installing",
        "grant create on database tasker to tasker_owner",
        "create role app login password 'first'");
  }

  /** As the documents say; a script that gave way to a lock is run again. */
  private void install(Path db, String version) throws IOException {
    Path files = db;
    if (db.startsWith(CHECKOUT.resolve("db"))) {
      files = folder.resolve("db");
      NextVersion.copy(db, files);
    }
    Path script = files.resolve("install.sql");
    Files.writeString(script, InstallScript.of(db, version));
    Program.Ended installed;
    int tries = 0;
    do {
      installed = Program.PSQL.run(files.getParent(), Map.of("PGPASSWORD", "installing"),
          List.of("-X", "-h", "127.0.0.1", "-p",
              Integer.toString(databases.primary().address().port()), "-U", "installing", "-d",
              "tasker", "-v", "owner=tasker_owner", "-v", "hardened=yes", "-f", "db/install.sql"));
    } while (installed.status() != 0 && installed.output().contains("lock timeout")
        && ++tries < 40);
    assertThat(installed.status()).as(installed.output()).isZero();
    databases.onPrimary("grant tasker_server to app");
  }

  /** The tests read with the rights of the owner; their handlers write where the servers do. */
  private void letTheTestsLook() {
    databases.onPrimary("grant tasker_owner to tasker", "grant usage on schema testing to app",
        "grant all on all tables in schema testing to app");
  }

  private Map<String, String> settings() {
    return Map.of("TASKER_MIGRATE", "false", "DB_USER", "app", "DB_PASSWORD", "of no meaning",
        "DB_PASSWORD_FILE", folder.resolve("password").toString());
  }

  private void writePassword(String password) throws IOException {
    Path file = Files.writeString(folder.resolve("password.next"), password + "\n");
    Files.move(file, folder.resolve("password"), StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  // ---- What happens

  /** For new connections; those that are open are ended, so that every one is new. */
  private void changePassword() throws Exception {
    databases.onPrimary("alter role app password 'second'");
    writePassword("second");
    databases.onPrimary(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");
    String url = databases.primary().address().jdbcUrl();
    assertThatThrownBy(() -> DriverManager.getConnection(url, "app", "first").close())
        .isInstanceOf(SQLException.class).hasMessageContaining("password");
    awaitLoad();
    TaskerClient.until("both servers listen", PATIENCE, () -> databases.tasker().count(
        "select count(*) from pg_stat_activity where application_name = 'tasker-listener'") == 2);
  }

  private void lookAtACopy() {
    Map<String, String> settings = new HashMap<>(settings());
    settings.put("TASKER_PAUSED_START", "true");
    int port = TestServer.freePort();
    try (EmbeddedDatabase copy = TestServer.newStandby(databases.primary(),
        TestServer.freePort())) {
      DatabasePair.run(copy, "select pg_promote(true, 60)");
      TaskerClient looking = TestServer.clientOf(copy);
      TaskerClient.until("the copy is one of its own", PATIENCE,
          () -> !(Boolean) looking.value("select pg_is_in_recovery()"));
      long tasks = looking.count("select count(*) from tasker.tasks");
      try (TestServer server = TestServer.starting(copy, port, settings, NextVersion.war())
          .awaitReady()) {
        long moves = looking.count(MOVES);
        assertThat(server.client().get("/v1/tasks?limit=1").status()).isEqualTo(200);
        int now = acknowledged.count();
        TaskerClient.until("the original goes on", PATIENCE,
            () -> acknowledged.count() >= now + 5 * RATE);
        assertThat(looking.count(MOVES)).as("nothing is processed").isEqualTo(moves);
        assertThat(looking.count("select count(*) from tasker.tasks")).isEqualTo(tasks);
        assertThat(violations(looking, "1 hour")).as("what is due may wait for as long").isEmpty();
      }
    }
  }

  private void phase(String name, Deed deed) throws Exception {
    long begin = System.nanoTime();
    int before = acknowledged.count();
    deed.happen();
    long end = System.nanoTime();
    awaitLoad();
    String row = String.format(Locale.ROOT, "| %s | %.1f s | %d | %.2f s |", name,
        (end - begin) / 1e9, acknowledged.count() - before,
        acknowledged.longestPause(begin, end).toMillis() / 1000.0);
    System.out.println(row);
    table.add(row);
  }

  private void awaitLoad() {
    int now = acknowledged.count();
    TaskerClient.until("the load goes on", PATIENCE,
        () -> acknowledged.count() >= now + 2 * RATE);
  }

  // ---- The end

  private void report() {
    String report = """
        | What happened | It took | Tasks acknowledged | Longest pause |
        |---|---|---|---|
        """ + String.join("\n", table) + "\n";
    System.out.println(report + acknowledged.count() + " tasks acknowledged, " + load.sentAgain()
        + " requests sent again, refused: " + load.refusals());
    Reports.write("day-in-the-life.md", report);
  }

  private void expectSound() {
    TaskerClient tasker = databases.tasker();
    TaskerClient.until("every task has ended", Duration.ofMinutes(3),
        () -> tasker.count("select count(*) from tasker.tasks where completed_at is null") == 0);
    TaskerClient.until("no message is left", PATIENCE, () -> History.messages(tasker).isEmpty());
    assertThat(acknowledged.lost(tasker)).as("lost").isEmpty();
    assertThat(Acknowledged.doubled(tasker)).as("doubled").isEmpty();
    assertThat(tasker.count("select count(*) from tasker.tasks where state <> 'complete'"))
        .isZero();
    assertThat(tasker.count("select count(*) from tasker.tasks")).isEqualTo(acknowledged.count());
    assertThat(violations(tasker, "1 second")).isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
  }

  private static List<Map<String, Object>> violations(TaskerClient tasker, String quietFor) {
    return tasker.sql("select * from tasker.check_history(p_quiet_for => ?::interval) "
        + "where violations > 0", quietFor);
  }
}
