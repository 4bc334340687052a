package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the engine writes once and relies on is restored when it was lost, and the check is clean
 * again.
 */
@DatabaseTest
@DatabaseTest.Covers("may_sleep_until")
class ReconcileTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private JsonObject reconcile(int limit) {
    return sql.object("select tasker.reconcile_tasks(?)", limit);
  }

  private Dag.Task blocked() {
    Dag.Task task = Dag.of("a").notRetryable().inNamespace("blocked").started();
    worker.forNamespaces("blocked").complete(worker.claimOne().permanentFailure());
    return task;
  }

  @Test
  void a_blocked_task_whose_dead_letter_is_gone_gets_another() {
    Dag.Task task = blocked();
    sql.run("delete from tasker.tasks_dlq");

    assertThat(reconcile(100).getInt("dead_letters")).isEqualTo(1);

    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("permanent_failure")
        .hasNoWakeUp();
    assertThat(reconcile(100).getInt("dead_letters")).as("once").isZero();
  }

  @Test
  void a_dead_letter_that_an_operator_has_closed_is_not_opened_again_and_one_from_an_earlier_time_does_not_count() {
    Dag.Task task = blocked();
    sql.text(
        "select tasker.update_dlq_entry(dlq_entry_uuid, 'permanently_failed', 'ann', 'we know') from tasker.tasks_dlq");
    assertThat(reconcile(100).getInt("dead_letters")).isZero();

    sql.text("select tasker.act_on_task(?, 'retry', 'ann', 'try again')", task.uuid());
    worker.complete(worker.claimOne().permanentFailure());
    sql.run("delete from tasker.tasks_dlq where resolution_status = 'pending'");

    assertThat(reconcile(100).getInt("dead_letters")).isEqualTo(1);
    assertThatTask(task).hasOpenDeadLetter("permanent_failure");
  }

  @Test
  void a_delayed_start_and_a_wait_may_sleep_for_long() {
    Dag.Task delayed = Dag.linear(1)
        .option("start_at", Instant.now().plus(Duration.ofDays(2_000)).toString()).started();
    Dag.Task waiting = Dag.of("rest").waitingOnly("{\"wait\": {\"for\": \"P10D\"}}").started();

    assertThat(reconcile(100).getInt("moved_wakeups")).isZero();
    // Whatever looks at them earlier leaves them where they were.
    sql.run("update tasker.task_wakeups set wake_at = now()");
    assertThat(worker.advance().getInt("tasks")).isEqualTo(2);

    assertThat(worker.advance().getInt("tasks")).isZero();
    assertThat(
        sql.isTrue(
            "select w.wake_at = t.start_at from tasker.task_wakeups w join tasker.tasks t using (task_uuid) where task_uuid = ?",
            delayed.uuid()))
        .isTrue();
    assertThat(sql.isTrue(
        "select w.wake_at > now() + interval '23 hours' from tasker.task_wakeups w where task_uuid = ?",
        waiting.uuid()))
        .isTrue();
    assertThat(reconcile(100).getInt("moved_wakeups")).isZero();
    // Nobody sets these.
    sql.run("update tasker.task_wakeups set wake_at = now() + interval '3000 days'");
    assertThat(reconcile(100).getInt("moved_wakeups")).isEqualTo(2);
    worker.advance();
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_without_a_wake_up_is_found_and_goes_on() {
    Dag.Task task = Dag.linear(2).started();
    sql.run("delete from tasker.task_wakeups");
    sql.run("delete from pgmq.q_worker_orders_queue");

    assertThat(reconcile(100).getInt("wakeups")).isEqualTo(1);

    assertThatTask(task).isLookedAtAbout(Instant.now());
    worker.at(Instant.now().plusSeconds(10)).advance();
    worker.at(null).runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_wake_up_years_away_becomes_due_and_that_of_a_long_retry_stays() {
    Dag.Task lost = Dag.of("a").started();
    Dag.Task waiting = Dag.of("b").inNamespace("waiting").started();
    worker.forNamespaces("waiting")
        .complete(worker.claimOne().retryableFailure((int) Duration.ofDays(9).toMillis()));
    sql.run(
        "update tasker.task_wakeups set wake_at = now() + interval '5 years' where task_uuid = ?",
        lost.uuid());

    assertThat(reconcile(100).getInt("moved_wakeups")).isEqualTo(1);

    assertThatTask(lost).isLookedAtAbout(Instant.now());
    assertThatTask(waiting).isLookedAtAbout(Instant.now().plus(Duration.ofDays(9)));
    assertThat(reconcile(100).getInt("moved_wakeups")).isZero();
  }

  @Test
  void a_walk_takes_all_tasks_a_part_at_a_time_and_begins_again() {
    Dag.of("a").started(5);
    sql.run("delete from tasker.task_wakeups");

    assertThat(List.of(reconcile(2).getInt("wakeups"), reconcile(2).getInt("wakeups"),
        reconcile(2).getInt("wakeups"))).containsExactly(2,
            2, 1);
    assertThat(sql.text("select cursor_uuid from tasker.reconciler_progress"))
        .as("the pass is over").isNull();
    assertThat(sql.isTrue(
        "select last_pass_at > now() - interval '1 minute' from tasker.reconciler_progress"))
        .isTrue();
    sql.run(
        "delete from tasker.task_wakeups where task_uuid = (select t.task_uuid from tasker.tasks t order by t.task_uuid limit 1)");
    assertThat(reconcile(2).getInt("wakeups")).as("and begins with the first").isEqualTo(1);
  }

  @Test
  void a_task_that_another_session_holds_is_left_to_the_next_pass_and_two_servers_do_not_walk_together() {
    Dag.Task held = Dag.of("a").started();
    sql.run("delete from tasker.task_wakeups");
    try (Sql other = Sql.session()) {
      other.uuid("select task_uuid from tasker.tasks where task_uuid = ? for no key update",
          held.uuid());
      assertThat(reconcile(100).getInt("wakeups")).isZero();
      other.rollback();
      other.text("select tasker.reconcile_tasks(1)");
      assertThat(reconcile(100).isNull("tasks")).as("another server is at it").isTrue();
      other.rollback();
    }
    assertThat(reconcile(100).getInt("wakeups")).isEqualTo(1);
  }

  @Test
  void a_walk_that_has_lost_its_place_begins_again() {
    Dag.of("a").started();
    sql.run("delete from tasker.task_wakeups");
    sql.run("delete from tasker.reconciler_progress");
    assertThat(sql.texts("select invariant from tasker.check_history() where violations > 0"))
        .contains("single_rows_are_there");

    assertThat(reconcile(100).isNull("tasks")).as("finds no place").isTrue();
    assertThat(reconcile(100).getInt("wakeups")).as("and has one from then on").isEqualTo(1);

    sql.run("delete from tasker.task_wakeups");
    sql.run(
        "update tasker.reconciler_progress set cursor_uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'");
    assertThat(reconcile(100).getInt("tasks")).as("nothing behind it").isZero();
    assertThat(reconcile(100).getInt("wakeups")).isEqualTo(1);
  }

  @Test
  void nothing_is_touched_where_nothing_is_missing() {
    blocked();
    Dag.linear(2).started();
    Dag.of("b").inNamespace("done").started();
    worker.forNamespaces("done").runToTheEnd();
    String before = sql.text(
        "select string_agg(r, ';' order by r) from (select w::text as r from tasker.task_wakeups w union all select d::text from tasker.tasks_dlq d) x");

    assertThat(reconcile(100)).isEqualTo(
        jakarta.json.Json.createObjectBuilder().add("tasks", 3).add("wakeups", 0)
            .add("dead_letters", 0).add("moved_wakeups", 0).build());

    assertThat(sql.text(
        "select string_agg(r, ';' order by r) from (select w::text as r from tasker.task_wakeups w union all select d::text from tasker.tasks_dlq d) x"))
        .isEqualTo(before);
    assertThatHistoryIsSound();
  }
}
