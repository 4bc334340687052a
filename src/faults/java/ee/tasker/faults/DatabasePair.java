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
 * A primary and a hot standby on two ports that stay; who is what changes. Each commit waits for the standby, unless a test says otherwise.
 * What an operator or a tool such as Patroni does at a failover, the methods here do, each when it is called.
 */
final class DatabasePair implements AutoCloseable {
  private final int first;
  private final int second;
  private EmbeddedDatabase primary = TestServer.newDurableDatabase();
  private EmbeddedDatabase standby;

  DatabasePair() {
    first = primary.address().port();
    // The copy is taken from a running database: what it writes until the standby has caught up has to be there still.
    onPrimary("alter system set wal_keep_size = '1GB'", "select pg_reload_conf()");
    second = TestServer.freePort();
    standby = TestServer.newStandby(primary, second);
    waitForStandby(true);
  }

  /** What servers are told: both hosts, of which the one that was first the primary comes first. */
  Map<String, String> environment() {
    return Map.of("DB_HOST", "127.0.0.1:" + first + ",127.0.0.1", "DB_PORT", Integer.toString(second));
  }

  EmbeddedDatabase primary() {
    return primary;
  }

  /** For questions to the primary of the moment. */
  TaskerClient tasker() {
    return TestServer.clientOf(primary);
  }

  TaskerClient standby() {
    return TestServer.clientOf(standby);
  }

  void killPrimary() {
    primary.kill();
  }

  /** Starts it again where it was killed, before anything else was promoted. */
  void restartPrimary() {
    primary.start();
    awaitStreaming();
  }

  /** An orderly end: what was committed is at the standby then. */
  void stopPrimary() {
    primary.close();
  }

  /** The standby becomes the primary, which waits for no standby yet. Returns when it takes writes. */
  void promote() {
    EmbeddedDatabase old = primary;
    run(standby, "select pg_promote(true, 60)");
    TaskerClient.until("the standby is promoted", Duration.ofSeconds(60),
        () -> !(Boolean) TestServer.clientOf(standby).value("select pg_is_in_recovery()"));
    primary = standby;
    standby = null;
    old.close();
  }

  /** The old primary comes back as the standby of the new one, on its old port and made of a new copy: what it alone knew is gone. */
  void rebuildStandby(boolean synchronous) {
    onPrimary("alter system set wal_keep_size = '1GB'", "select pg_reload_conf()");
    standby = TestServer.newStandby(primary, primary.address().port() == first ? second : first);
    waitForStandby(synchronous);
  }

  /** Whether each commit waits until the standby has it on disk. */
  void waitForStandby(boolean synchronous) {
    onPrimary("alter system set synchronous_standby_names = '" + (synchronous ? "*" : "") + "'", "select pg_reload_conf()");
    TaskerClient.until("the standby streams", Duration.ofSeconds(60), () -> tasker().count(
        "select count(*) from pg_stat_replication where state = 'streaming' and sync_state = ?", synchronous ? "sync" : "async") == 1);
  }

  private void awaitStreaming() {
    TaskerClient.until("the standby streams again", Duration.ofSeconds(60),
        () -> tasker().count("select count(*) from pg_stat_replication where state = 'streaming'") == 1);
  }

  /** Returns when the standby has replayed all that the primary has written by now. */
  void awaitReplay() {
    Object written = tasker().value("select pg_current_wal_lsn()::text");
    TaskerClient.until("the standby has replayed", Duration.ofSeconds(60),
        () -> (Boolean) standby().value("select pg_last_wal_replay_lsn() >= ?::pg_lsn", written));
  }

  /** The process of the primary that sends the log to the standby: stopped, it sends none, and what it has not sent dies with the primary. */
  ProcessHandle sender() {
    return ProcessHandle.of(tasker().count("select pid from pg_stat_replication")).orElseThrow();
  }

  private void onPrimary(String... statements) {
    run(primary, statements);
  }

  private static void run(EmbeddedDatabase database, String... statements) {
    try (
        Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:" + database.address().port() + "/tasker?user=postgres");
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
