package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Months of history are dropped once they are no longer needed. After each test all promises are
 * checked on what is left.
 */
@DatabaseTest
@DatabaseTest.Covers({"get_history_months", "forget_purged_tasks", "get_retention_document",
  "get_retention_figures"})
class DropHistoryMonthTest {
  private static final String MONTH = ZonedDateTime.now(ZoneOffset.UTC)
      .format(DateTimeFormatter.ofPattern("yyyy_MM"));
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Instant later = ZonedDateTime.now(ZoneOffset.UTC).withDayOfMonth(15).plusMonths(1)
      .toInstant();

  @BeforeEach
  void history_has_its_months() {
    sql.text("select tasker.make_history_partitions()");
    assertThat(hasMonth()).isTrue();
  }

  private boolean hasMonth() {
    return sql.isTrue("select to_regclass('tasker.task_moves_" + MONTH + "') is not null "
        + "and to_regclass('tasker.step_moves_" + MONTH + "') is not null");
  }

  private List<Map<String, Object>> drop() {
    return sql.rows(
        "select d ->> 'outcome' as outcome, (d ->> 'kept_tasks')::bigint as kept_tasks from tasker.drop_history_month(p_now => ?) d where d is not null",
        later);
  }

  private List<UUID> finished(int count) {
    List<UUID> tasks = Dag.linear(2).started(count).stream().map(Dag.Task::uuid).toList();
    worker.runToTheEnd();
    return tasks;
  }

  private void purge(List<UUID> tasks) {
    sql.text("select tasker.roll_up_analytics()");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", tasks)).hasSize(tasks.size());
  }

  @Test
  void a_month_is_kept_while_it_lasts() {
    purge(finished(3));
    assertThat(sql.rows("select d from tasker.drop_history_month() d where d is not null"))
        .isEmpty();
    assertThat(hasMonth()).isTrue();
  }

  @Test
  void a_month_is_dropped_when_no_task_with_history_in_it_is_left_and_the_purged_are_forgotten() {
    purge(finished(3));
    purgedMovedAt("this_month + interval '14 days'");
    assertThat(drop()).containsExactly(Map.of("outcome", "dropped", "kept_tasks", 0L));
    assertThat(hasMonth()).isFalse();
    assertThat(sql.number("select count(*) from tasker.task_transitions")).isZero();

    assertThat(sql.number("select tasker.forget_purged_tasks(2)")).isEqualTo(2);
    assertThat(sql.number("select tasker.forget_purged_tasks(2)")).isEqualTo(1);
    assertThat(sql.number("select count(*) from tasker.purged_tasks")).isZero();
    assertThat(sql.number("select tasker.forget_purged_tasks(2)")).isZero();
  }

  /** Servers' clocks differ: history of the last day may be in the month that follows. */
  @Test
  void what_was_purged_on_the_last_day_of_a_month_is_forgotten_with_the_month_that_follows() {
    purge(finished(3));
    purgedMovedAt("this_month + interval '1 month' - interval '1 hour'");
    assertThat(drop()).hasSize(1);
    assertThat(sql.number("select tasker.forget_purged_tasks()")).isZero();

    Instant muchLater = later.plus(Duration.ofDays(31));
    assertThat(sql.text("select tasker.drop_history_month(p_now => ?) ->> 'outcome'", muchLater))
        .isEqualTo("dropped");
    assertThat(sql.number("select tasker.forget_purged_tasks()")).isEqualTo(3);
  }

  /** Else what is kept would depend on the day on which the test runs. */
  private void purgedMovedAt(String time) {
    sql.run("update tasker.purged_tasks set created_at = m.at, last_move_at = m.at from (select "
        + time + " as at from date_trunc('month', now(), 'UTC') this_month) m");
  }

  @Test
  void a_month_in_which_an_unfinished_task_has_history_is_rewritten_and_that_history_is_whole() {
    Dag.Task unfinished = Dag.linear(2).started();
    worker.complete(worker.claimOne().success());
    List<UUID> others = finishedBeside();
    long before = sql.number(
        "select count(*) from tasker.workflow_step_transitions where task_uuid = ?",
        unfinished.uuid());
    purge(others);

    assertThat(drop()).containsExactly(Map.of("outcome", "rewritten", "kept_tasks", 1L));
    assertThat(hasMonth()).isTrue();
    assertThat(sql.texts("select distinct task_uuid from tasker.task_transitions"))
        .containsExactly(unfinished.uuid().toString());
    assertThat(sql.texts("select distinct task_uuid from tasker.workflow_step_transitions"))
        .containsExactly(unfinished.uuid().toString());
    assertThat(
        sql.number("select count(*) from tasker.workflow_step_transitions where task_uuid = ?",
            unfinished.uuid()))
        .isEqualTo(before);
    assertThat(drop()).as("nothing is to be gained by another rewrite").isEmpty();
    worker.runToTheEnd();
  }

  /** Three tasks that end while the first waits with an unclaimed offer. */
  private List<UUID> finishedBeside() {
    List<UUID> tasks = Dag.of("x").inNamespace("beside").started(3).stream().map(Dag.Task::uuid)
        .toList();
    try (SqlWorker other = SqlWorker.open().forNamespaces("beside")) {
      other.runToTheEnd();
    }
    return tasks;
  }

  @Test
  void history_is_append_only_also_after_a_rewrite() {
    Dag.linear(2).started();
    purge(finishedBeside());
    drop();
    assertThat(
        sql.isTrue(
            "select bool_and(t.n = 2) from (select count(*) as n from pg_trigger g join pg_inherits i on i.inhrelid = g.tgrelid "
                + "where g.tgname = 'history_is_append_only' and i.inhrelid::regclass::text like '%"
                + MONTH + "') t"))
        .isTrue();
  }

  @Test
  void a_month_of_which_too_much_is_left_is_not_touched() {
    Dag.of("a").started(3);
    purge(finishedBeside());
    assertThat(
        sql.rows("select d from tasker.drop_history_month(2, ?) d where d is not null", later))
        .isEmpty();
    assertThat(
        sql.rows("select d from tasker.drop_history_month(3, ?) d where d is not null", later))
        .hasSize(1);
  }

  @Test
  void what_was_purged_just_before_a_rewrite_is_remembered_while_its_rows_may_be_there() {
    Dag.of("a").started();
    purge(finishedBeside());
    // Had the purge not been committed when the month was read, its history would still be there.
    assertThat(sql.rows(
        "select d ->> 'outcome' from tasker.drop_history_month(p_now => ?) d where d is not null",
        later)).hasSize(1);
    sql.run("update tasker.dropped_history set done_at = now()");
    assertThat(sql.number("select tasker.forget_purged_tasks()")).isZero();
    assertThat(sql.number("select count(*) from tasker.purged_tasks")).isEqualTo(3);
  }

  @Test
  void writers_that_hold_the_history_put_it_off_and_lose_nothing() {
    purge(finished(2));
    try (Sql writer = Sql.session()) {
      writer.text("select tasker.submit_tasks(jsonb_build_array(?::jsonb))::text",
          Dag.of("a").request(Dag.of("a").registered()).toString());
      assertThat(sql.texts(
          "select d ->> 'outcome' from tasker.drop_history_month(p_now => ?) d where d is not null",
          later))
          .containsExactly("postponed");
      writer.rollback();
    }
    assertThat(hasMonth()).isTrue();
    assertThat(sql.texts("select relname from pg_class where relname like '%_kept'")).isEmpty();
    assertThat(drop()).hasSize(1);
  }

  @Test
  void two_servers_do_not_drop_the_same_month() {
    purge(finished(2));
    try (Sql one = Sql.session()) {
      assertThat(one.rows(
          "select d ->> 'outcome' from tasker.drop_history_month(p_now => ?) d where d is not null",
          later)).hasSize(1);
      assertThat(drop()).isEmpty();
      one.commit();
    }
  }

  @Test
  void the_oldest_that_is_kept_can_be_seen() {
    Instant before = Instant.now().minusSeconds(5);
    finished(1);
    var document = sql.object("select tasker.get_retention_document()");
    assertThat(Instant.parse(document.getString("oldest_task_at").replace("+00:00", "Z")))
        .isBetween(before, Instant.now().plusSeconds(5));
    assertThat(document.getJsonObject("history").getString("oldest_month"))
        .isEqualTo(MONTH.replace('_', '-'));
    assertThat(document.getJsonObject("history").getInt("months_ahead")).isEqualTo(2);
    assertThat(document.getJsonObject("history").getBoolean("default_in_use")).isFalse();
    var figures = sql.object("select tasker.get_retention_figures()");
    assertThat(figures.getInt("months_ahead")).isEqualTo(2);
    assertThat(figures.getInt("default_in_use")).isZero();
    assertThat(figures.getJsonNumber("oldest_task_seconds").doubleValue()).isBetween(0.0, 15.0);
  }
}
