package ee.tasker.faults;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;

/**
 * A primary and a hot standby on two fixed ports; their roles change. Each commit waits for the
 * standby unless a test says
 * otherwise. The methods perform the actions of an operator, or a tool such as Patroni, at a
 * failover.
 */
final class DatabasePair implements AutoCloseable {
  private final int first;
  private final int second;
  private EmbeddedDatabase primary = TestServer.newDurableDatabase();
  private EmbeddedDatabase standby;

  DatabasePair() {
    first = primary.address().port();
    // The copy is taken from a running database: the log written until the standby has caught up
    // must still be available.
    onPrimary("alter system set wal_keep_size = '1GB'", "select pg_reload_conf()");
    second = TestServer.freePort();
    standby = TestServer.newStandby(primary, second);
    waitForStandby(true);
  }

  /** The setting of the servers: both hosts, the first primary first. */
  Map<String, String> environment() {
    return Map.of("DB_HOST", "127.0.0.1:" + first + ",127.0.0.1", "DB_PORT",
        Integer.toString(second));
  }

  EmbeddedDatabase primary() {
    return primary;
  }

  /** For queries to the current primary. */
  TaskerClient tasker() {
    return TestServer.clientOf(primary);
  }

  TaskerClient standby() {
    return TestServer.clientOf(standby);
  }

  void killPrimary() {
    primary.kill();
  }

  /** Restarts it where it was killed, before any promotion. */
  void restartPrimary() {
    primary.start();
    awaitStreaming();
  }

  /** An orderly stop: all committed data is then on the standby. */
  void stopPrimary() {
    primary.close();
  }

  /**
   * Promotes the standby, which does not wait for a standby yet. Returns when it accepts writes.
   */
  void promote() {
    EmbeddedDatabase old = primary;
    run(standby, "select pg_promote(true, 60)");
    TaskerClient.until("the standby is promoted", Duration.ofSeconds(60),
        () -> !(Boolean) TestServer.clientOf(standby).value("select pg_is_in_recovery()"));
    primary = standby;
    standby = null;
    old.close();
  }

  /**
   * The old primary returns as the standby of the new one, on its old port and from a new copy:
   * data that it alone had is
   * lost.
   */
  void rebuildStandby(boolean synchronous) {
    onPrimary("alter system set wal_keep_size = '1GB'", "select pg_reload_conf()");
    standby = TestServer.newStandby(primary, primary.address().port() == first ? second : first);
    waitForStandby(synchronous);
  }

  /** Whether each commit waits until the standby has it on disk. */
  void waitForStandby(boolean synchronous) {
    onPrimary("alter system set synchronous_standby_names = '" + (synchronous ? "*" : "") + "'",
        "select pg_reload_conf()");
    TaskerClient.until("the standby streams", Duration.ofSeconds(60), () -> tasker().count(
        "select count(*) from pg_stat_replication where state = 'streaming' and sync_state = ?",
        synchronous ? "sync" : "async") == 1);
  }

  private void awaitStreaming() {
    TaskerClient.until("the standby streams again", Duration.ofSeconds(60),
        () -> tasker()
            .count("select count(*) from pg_stat_replication where state = 'streaming'") == 1);
  }

  /** Returns when the standby has replayed everything that the primary has written by now. */
  void awaitReplay() {
    Object written = tasker().value("select pg_current_wal_lsn()::text");
    TaskerClient.until("the standby has replayed", Duration.ofSeconds(60),
        () -> (Boolean) standby().value("select pg_last_wal_replay_lsn() >= ?::pg_lsn", written));
  }

  /**
   * The primary's process that sends the log to the standby: while stopped it sends nothing, and
   * unsent log is lost with
   * the primary.
   */
  ProcessHandle sender() {
    return ProcessHandle.of(tasker().count("select pid from pg_stat_replication")).orElseThrow();
  }

  /** As the superuser; each statement in a transaction of its own. */
  void onPrimary(String... statements) {
    run(primary, statements);
  }

  static void run(EmbeddedDatabase database, String... statements) {
    try (
        Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:" + database.address().port()
                + "/tasker?user=postgres");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    if (standby != null) {
      standby.close();
    }
    primary.close();
  }
}
