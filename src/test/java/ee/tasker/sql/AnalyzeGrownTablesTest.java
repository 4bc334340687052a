package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import org.junit.jupiter.api.Test;

@DatabaseTest
class AnalyzeGrownTablesTest {
  private static final String ANALYZE = "select unnest(tasker.analyze_grown_tables())";

  @Test
  void statistics_are_renewed_when_a_table_is_four_times_as_large() {
    try (Sql session = Sql.session()) {
      session.run(
          "create table tasker.probe as select n, repeat('-', 500) as filler from generate_series(1, 3000) n");
      assertThat(session.texts(ANALYZE)).contains("tasker.probe");
      assertThat(session
          .number("select reltuples::bigint from pg_class where oid = 'tasker.probe'::regclass"))
          .isEqualTo(3_000);

      session.run(
          "insert into tasker.probe select n, repeat('-', 500) from generate_series(1, 6000) n");
      assertThat(session.texts(ANALYZE)).as("three times as large").doesNotContain("tasker.probe");

      session.run(
          "insert into tasker.probe select n, repeat('-', 500) from generate_series(1, 6000) n");
      assertThat(session.texts(ANALYZE)).as("five times as large").contains("tasker.probe");
      assertThat(session.texts(ANALYZE)).doesNotContain("tasker.probe");
      session.rollback();
    }
  }

  @Test
  void a_table_that_was_emptied_and_has_filled_again_is_analyzed() {
    try (Sql sql = Sql.open()) {
      // Autovacuum would analyze it now and then before the call does.
      sql.run(
          "create table tasker.probe with (autovacuum_enabled = off) as select n, repeat('-', 500) as filler from generate_series(1, 3000) n");
      sql.run("delete from tasker.probe");
      // A deletion that is counted after the analysis takes away from what is inserted then.
      sql.text("select pg_stat_force_next_flush()::text");
      sql.run("analyze tasker.probe");
      assertThat(
          sql.number("select reltuples::bigint from pg_class where oid = 'tasker.probe'::regclass"))
          .isZero();

      sql.run(
          "insert into tasker.probe select n, repeat('-', 500) from generate_series(1, 3000) n");
      sql.text("select pg_stat_force_next_flush()::text");

      assertThat(sql.texts(ANALYZE)).contains("tasker.probe");
      assertThat(
          sql.number("select reltuples::bigint from pg_class where oid = 'tasker.probe'::regclass"))
          .isEqualTo(3_000);
      assertThat(sql.texts(ANALYZE)).doesNotContain("tasker.probe");
    } finally {
      try (Sql sql = Sql.open()) {
        sql.run("drop table if exists tasker.probe");
      }
    }
  }

  @Test
  void a_small_table_is_left_to_autovacuum() {
    try (Sql session = Sql.session()) {
      session.run(
          "create table tasker.probe as select n, repeat('-', 500) as filler from generate_series(1, 60) n");
      assertThat(session.texts(ANALYZE)).doesNotContain("tasker.probe");
      session.rollback();
    }
  }
}
