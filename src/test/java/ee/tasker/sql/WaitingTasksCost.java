package ee.tasker.sql;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What a task that waits in a queue costs the database each time that the poller finds it due: processor time of one connection, and the
 * functions that it goes to. By hand: {@code -Dtest=WaitingTasksCost -Dtasks=2000 -Drounds=5}; needs /proc.
 */
@DatabaseTest
class WaitingTasksCost {
  private final Sql sql = Sql.open();

  @Test
  void tasks_that_no_worker_claims() {
    int tasks = Integer.getInteger("tasks", 2000);
    Dag.linear(4).started(tasks);
    sql.run("analyze");
    Instant now = Instant.now();
    for (int round = 1; round <= Integer.getInteger("rounds", 5); round++) {
      now = now.plusSeconds(1200);
      sql.run("update tasker.task_wakeups set wake_at = now()");
      sql.run("set track_functions = 'all'");
      sql.text("select pg_stat_reset()::text");
      long before = ticks();
      long calls = 0;
      while (sql.number("select (tasker.advance_due_tasks(?, 200, p_now => ?) ->> 'tasks')::int", UUID.randomUUID(), now).intValue() > 0) {
        calls++;
      }
      System.out.printf("round %d: %.0f microseconds a task, %d calls%n", round, (ticks() - before) * 10_000.0 / tasks, calls);
      sql.text("select pg_stat_force_next_flush()::text");
      System.out
          .println(sql.text("select string_agg(format('  %s %s calls, %s ms, itself %s ms', funcname, calls, round(total_time::numeric), "
              + "round(self_time::numeric)), e'\\n' order by total_time desc) from pg_stat_user_functions where total_time > 5"));
    }
  }

  /** Of the connection, in hundredths of a second. */
  private long ticks() {
    try {
      String stat = Files.readString(Path.of("/proc", sql.text("select pg_backend_pid()"), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
