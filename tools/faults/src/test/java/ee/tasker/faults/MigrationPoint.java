package ee.tasker.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * Stops the migration of an empty database while it creates a table or a function, before that
 * migration commits.
 */
final class MigrationPoint {
  private static final List<String> OBJECTS = List.of("tasker.tasks",
      "tasker.workflow_step_transitions", "tasker.claim_steps(",
      "tasker.complete_steps(", "tasker.check_history(");
  private static final long LOCK = 7_700_002;

  private final Connection connection;

  MigrationPoint(Cluster cluster, Random random) throws SQLException {
    connection = DriverManager.getConnection(cluster.url(), "postgres", "");
    String object = OBJECTS.get(random.nextInt(OBJECTS.size()));
    System.out.println("kill -9 while the migration makes " + object);
    run("select pg_advisory_lock(" + LOCK + ")");
    run("""
        create function public.stop_at_ddl() returns event_trigger language plpgsql as $$
        begin
          if exists (select from pg_event_trigger_ddl_commands() c where starts_with(c.object_identity, '%s')) then
            perform pg_advisory_lock_shared(%d);
          end if;
        end $$;
        create event trigger stop_at_ddl on ddl_command_end execute function public.stop_at_ddl()"""
        .formatted(object, LOCK));
  }

  void awaitStopped(Duration longest) throws SQLException, InterruptedException {
    for (long end = System.nanoTime() + longest.toNanos(); System.nanoTime() < end; Thread
        .sleep(20)) {
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(
              "select exists (select from pg_locks where locktype = 'advisory' and objid = " + LOCK
                  + " and not granted)")) {
        rows.next();
        if (rows.getBoolean(1)) {
          return;
        }
      }
    }
    throw new AssertionError("the migration did not come to its point within " + longest);
  }

  /** The transaction continues and finds its client gone. */
  void letGo() throws SQLException {
    run("select pg_advisory_unlock_all()");
    run("drop event trigger stop_at_ddl");
    connection.close();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
