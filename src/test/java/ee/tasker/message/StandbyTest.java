package ee.tasker.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.config.Secret;
import ee.tasker.platform.config.Settings;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.FreePort;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real primary with the schema, and a real standby of it, which is promoted at the end. The
 * standby is named first, as an old primary is that came back.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StandbyTest {
  private static final Path BINARIES = Path.of(System.getProperty("tasker.checkout"), ".tasker");
  private static final String VERSION = System.getProperty("tasker.postgres.version");

  @TempDir
  static Path folder;

  private EmbeddedDatabase primary;
  private EmbeddedDatabase standby;

  @BeforeAll
  void start() throws Exception {
    primary = EmbeddedDatabase.forBenchmarks(folder, BINARIES, VERSION, FreePort.find(),
        Map.of("wal_keep_size", "1GB"));
    primary.start();
    TestServer.install(primary.address());
    standby = EmbeddedDatabase.standbyOf(primary, folder, BINARIES, VERSION, FreePort.find());
    standby.start();
    Object written = of(primary).value("select pg_current_wal_lsn()::text");
    TaskerClient.until("the standby has replayed", Duration.ofSeconds(60),
        () -> (Boolean) of(standby).value("select pg_last_wal_replay_lsn() >= ?::pg_lsn", written));
  }

  @AfterAll
  void stop() {
    Stream.of(standby, primary).forEach(EmbeddedDatabase::close);
  }

  @Test
  @Order(1)
  void listening_connection_leads_to_the_primary_also_when_a_standby_is_named_first()
      throws Exception {
    try (Connection connection = Listener.connect(bothHosts());
        Statement statement = connection.createStatement()) {
      statement.execute("listen tasker_wakeup");
      Listener.refuseStandby(statement);
      try (var row = statement.executeQuery("select inet_server_port()")) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(primary.address().port());
      }
    }
  }

  @Test
  @Order(2)
  void standby_alone_is_no_database_to_listen_to() throws Exception {
    assertThatThrownBy(() -> Listener.connect(hosts(standby))).isInstanceOf(SQLException.class);
    // As behind an address that moved.
    try (
        Connection moved = DriverManager.getConnection(standby.address().jdbcUrl(), "tasker",
            "tasker");
        Statement statement = moved.createStatement()) {
      assertThatThrownBy(() -> Listener.refuseStandby(statement)).isInstanceOfSatisfying(
          SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
    }
  }

  @Test
  @Order(3)
  void standby_tells_that_it_is_one() {
    assertThat(
        of(primary).jsonOf("select tasker.get_installation_status()").getBoolean("read_only"))
        .isFalse();
    assertThat(
        of(standby).jsonOf("select tasker.get_installation_status()").getBoolean("read_only"))
        .isTrue();
  }

  @Test
  @Order(4)
  void standby_answers_what_only_reads() {
    assertThat(of(standby).count("select count(*) from tasker.check_history()")).isGreaterThan(20);
    assertThat(
        of(standby).sql("select * from tasker.check_history(null, '1 hour') where violations > 0"))
        .isEmpty();
    assertThat(of(standby).jsonOf("select tasker.get_performance_document(1)")).isNotEmpty();
    assertThat(of(standby).sql("select * from tasker.get_analytics_metrics()")).hasSize(1);
    for (String figures : List.of("get_slowest_steps", "get_slowest_tasks",
        "get_slowest_steps_aggregated",
        "get_slowest_tasks_aggregated")) {
      assertThat(of(standby).sql("select * from tasker." + figures + "()")).as(figures).isEmpty();
    }
  }

  @Test
  @Order(5)
  void listening_connection_finds_the_standby_that_was_promoted() throws Exception {
    primary.kill();
    try (
        Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:" + standby.address().port()
                + "/tasker?user=postgres");
        Statement statement = connection.createStatement()) {
      statement.execute("select pg_promote(true, 60)");
    }

    TaskerClient.until("a connection to the promoted one", Duration.ofSeconds(20), () -> {
      try (Connection connection = Listener.connect(bothHosts());
          Statement statement = connection.createStatement()) {
        return statement.execute("select 1");
      } catch (SQLException notYet) {
        return false;
      }
    });
    assertThat(
        of(standby).jsonOf("select tasker.get_installation_status()").getBoolean("read_only"))
        .isFalse();
  }

  private Settings.ListenSettings bothHosts() {
    return hosts(standby, primary);
  }

  private static Settings.ListenSettings hosts(EmbeddedDatabase... databases) {
    return new Settings.ListenSettings(
        Stream.of(databases)
            .map(each -> new Settings.DatabaseHost("127.0.0.1", each.address().port())).toList(),
        "tasker", "tasker", Secret.of("tasker"),
        new Settings.TlsSettings("prefer", "", "", "", ""));
  }

  private static TaskerClient of(EmbeddedDatabase database) {
    return TestServer.clientOf(database);
  }
}
