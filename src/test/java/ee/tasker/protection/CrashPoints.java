package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Sql;
import ee.tasker.testing.TaskerAssertions;
import java.util.List;
import java.util.function.Consumer;

/**
 * Kills a session of the database before and after each write that some work does, one point at a
 * time, until the work
 * succeeds: the test examines what a crash between two writes leaves behind after each. The points
 * are triggers on every
 * table of the engine and of its queues, which end their own session at the chosen point.
 */
final class CrashPoints implements AutoCloseable {
  private final Sql sql = Sql.open();
  private final List<String> tables;

  CrashPoints() {
    sql.run("create schema if not exists crash");
    sql.run("""
        create or replace function crash.point() returns trigger language plpgsql as $$
        declare
          v_turn int := coalesce(nullif(current_setting('crash.turn', true), ''), '0')::int + 1;
        begin
          perform set_config('crash.turn', v_turn::text, true);
          if v_turn = nullif(current_setting('crash.at', true), '')::int then
            perform pg_terminate_backend(pg_backend_pid());
            perform pg_sleep(10);
          end if;
          return null;
        end $$""");
    tables = sql.texts(
        """
        select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and not c.relispartition
          and (n.nspname = 'tasker' and c.relname not in ('flyway_schema_history') or n.nspname = 'pgmq' and c.relname ~ '^q_')""");
    for (String table : tables) {
      for (String when : List.of("before", "after")) {
        sql.run("create or replace trigger crash_point_" + when + " " + when
            + " insert or update or delete on " + table
            + " for each statement execute function crash.point()");
      }
    }
  }

  /**
   * Runs the work in one transaction, killed at the first point, at the second, and so on until it
   * comes through; looks
   * at what there is after each crash, and that the promises hold. Returns at how many points it
   * was killed.
   */
  int killAtEach(Consumer<Sql> work, Runnable afterCrash) {
    for (int point = 1;; point++) {
      Sql session = Sql.session();
      try (session) {
        session.text("select set_config('crash.at', ?, false)", Integer.toString(point));
        session.commit();
        work.accept(session);
        session.commit();
        assertThat(point).as("the first point at which the work was not killed").isGreaterThan(1);
        return point - 1;
      } catch (Sql.SqlProblem killed) {
        // 57P01: terminated by an administrator; 08006: the connection is gone.
        assertThat(killed.state()).as(killed.getMessage()).isIn("57P01", "08006", "08003");
      }
      TaskerAssertions.assertThatHistoryIsSound();
      afterCrash.run();
    }
  }

  @Override
  public void close() {
    for (String table : tables) {
      sql.run("drop trigger crash_point_before on " + table);
      sql.run("drop trigger crash_point_after on " + table);
    }
    sql.run("drop schema crash cascade");
    sql.close();
  }
}
