package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** {@code queue_timeout_seconds}: offers that no worker claims in time. */
@DatabaseTest
@DatabaseTest.Covers("get_queue_timeout")
class QueueTimeoutTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private Instant offered(Dag.Task task, String step) {
    return sql.instant("select enqueued_at from tasker.workflow_steps where workflow_step_uuid = ?",
        task.step(step));
  }

  private Instant wakeUp(Dag.Task task) {
    return sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid());
  }

  private static int advanceAt(Instant time) {
    try (SqlWorker poller = SqlWorker.open()) {
      return poller.at(time).advance().getInt("tasks");
    }
  }

  @Test
  void an_offer_fails_at_its_queue_time_out_and_not_before_whatever_attempts_are_left() {
    Dag.Task task = Dag.of("a").queueTimeoutSeconds(20).step("b").dependsOn("a").started();
    Instant limit = offered(task, "a").plusSeconds(20);
    assertThat(wakeUp(task)).as("sooner than any other wake-up would be").isEqualTo(limit);
    assertThat(sql.text("select sentence from tasker.explain_waiting(?)", task.uuid()))
        .contains("; it fails as queue_timeout at ");
    sql.run("select tasker.evaluate_tasks(array[?::uuid], null)", task.uuid());
    assertThat(wakeUp(task)).isEqualTo(limit);

    assertThat(advanceAt(limit.minusMillis(1))).isZero();
    assertThat(
        sql.number("select tasker.recover_unclaimed_offers(array[?::uuid], null, p_now => ?)",
            task.uuid(), limit.minusMillis(1)))
        .isZero();
    assertThatStep(task.step("a")).isIn("enqueued");
    advanceAt(limit);

    assertThatStep(task.step("a")).isIn("error").hasAttempts(1).went("pending", "enqueued",
        "error");
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0)
        .hasOpenDeadLetter("worker_unavailable");
    assertThat(
        sql.text(
            "select outcome || ' ' || (error ->> 'type') || ': ' || (error ->> 'message') from tasker.workflow_step_result_audit"))
        .startsWith("permanent_failure queue_timeout: attempt 1 was offered at ")
        .contains("20 seconds of queue_timeout_seconds");
    assertThat(
        sql.text(
            "select actor || ' ' || (metadata ->> 'reason') from tasker.workflow_step_transitions where from_state = 'enqueued'"))
        .isEqualTo("recovery queue_timeout");
    assertThat(sql.text("select sentence from tasker.explain_waiting(?) where cause = 'failed'",
        task.uuid())).contains("queue_timeout");
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("the offer has no message any more").isZero();
    assertThat(worker.claim(10)).isEmpty();
    assertThatHistoryIsSound();
  }

  @Test
  void an_offer_of_a_later_step_and_of_a_retry_begin_anew() {
    Dag.Task task = Dag.of("a").step("b").queueTimeoutSeconds(5).dependsOn("a").started();
    worker.complete(0, java.util.List.of(worker.claimOne().success()));
    assertThatStep(task.step("b")).isIn("enqueued");
    assertThat(wakeUp(task)).isEqualTo(offered(task, "b").plusSeconds(5));

    worker.complete(0, java.util.List.of(worker.claimOne().retryableFailure(60_000)));
    assertThatStep(task.step("b")).isIn("waiting_for_retry");
    Instant retry = sql.instant(
        "select next_retry_at from tasker.workflow_steps where workflow_step_uuid = ?",
        task.step("b"));
    advanceAt(retry);
    assertThatStep(task.step("b")).isIn("enqueued").hasAttempts(2);
    assertThat(wakeUp(task)).isEqualTo(retry.plusSeconds(5));
    advanceAt(retry.plusSeconds(5));
    assertThatStep(task.step("b")).isIn("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_that_a_worker_has_claimed_has_no_queue_time_out_and_one_that_is_released_waits_anew() {
    Dag.Task task = Dag.of("a").queueTimeoutSeconds(5).started();
    SqlWorker.Claim claim = worker.claimOne();
    Instant offer = offered(task, "a");
    advanceAt(offer.plusSeconds(20));
    assertThatStep(task.step("a")).isIn("in_progress");

    sql.run(
        "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', ?)), null, ?)",
        claim.step(), task.uuid(), claim.handoff(), offer.plusSeconds(21));
    assertThatStep(task.step("a")).isIn("enqueued");
    assertThat(wakeUp(task)).isEqualTo(offer.plusSeconds(26));
  }

  @Test
  void the_first_of_unserved_and_queue_time_out_ends_the_offer() {
    Dag.Task task = Dag.of("a").queueTimeoutSeconds(60).lifecycle("unserved_seconds", 20).started();
    Instant offer = offered(task, "a");
    advanceAt(offer.plusSeconds(30));
    assertThat(sql.text("select why from tasker.unclaimed_offers")).isEqualTo("unserved");
    advanceAt(offer.plusSeconds(50));
    assertThatStep(task.step("a")).isIn("error");
    assertThat(sql.text("select error ->> 'type' from tasker.workflow_step_result_audit"))
        .isEqualTo("worker_unavailable");

    Dag.Task other = Dag.of("a").queueTimeoutSeconds(40).lifecycle("unserved_seconds", 20)
        .started();
    advanceAt(offered(other, "a").plusSeconds(30));
    advanceAt(offered(other, "a").plusSeconds(60));
    assertThat(sql.text(
        "select error ->> 'type' from tasker.workflow_step_result_audit where task_uuid = ?",
        other.uuid()))
        .isEqualTo("queue_timeout");
    assertThat(sql.number("select count(*) from tasker.unclaimed_offers")).isZero();
  }

  @Test
  void a_step_that_failed_so_gives_its_slot_to_the_next_and_an_operator_can_repeat_it() {
    Dag limited = Dag.of("a").queueTimeoutSeconds(10).stepPolicy("{\"limit\": 1}");
    Dag.Task first = limited.started();
    Dag.Task second = limited.started();
    advanceAt(Instant.now());
    assertThat(sql.texts("select state from tasker.workflow_steps order by task_uuid"))
        .containsExactly("enqueued", "pending");

    Instant limit = offered(first, "a").plusSeconds(10);
    advanceAt(limit);
    advanceAt(limit.plusSeconds(1));
    assertThatStep(first.step("a")).isIn("error");
    assertThatStep(second.step("a")).isIn("enqueued");

    new Operator().step(first, "a", "reset_for_retry");
    worker.runToTheEnd();
    advanceAt(limit.plusSeconds(2));
    worker.runToTheEnd();
    assertThatTask(first).isIn("complete");
    assertThatTask(second).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void the_other_steps_go_on_where_the_template_says_so() {
    Dag.Task task = Dag.of("a").queueTimeoutSeconds(10).step("b").handler("other")
        .lifecycle("on_step_error", "continue").started();
    advanceAt(offered(task, "a").plusSeconds(10));
    assertThatStep(task.step("a")).isIn("error");
    assertThatStep(task.step("b")).isIn("enqueued");
    assertThatTask(task).isIn("steps_in_process");
  }
}
