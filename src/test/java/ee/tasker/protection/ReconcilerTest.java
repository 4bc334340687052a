package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The reconciler finds tasks that must move in their state, whichever messages were lost. */
@ProtectionTest
class ReconcilerTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private String everything() {
    return sql.text(
        "select string_agg(r, ';' order by r) from (select t::text as r from tasker.tasks t union all select s::text from tasker.workflow_steps s "
            + "union all select h::text from tasker.workflow_step_transitions h union all select h::text from tasker.task_transitions h "
            + "union all select q.message::text from pgmq.q_worker_orders_queue q) x");
  }

  @Test
  void E1_every_task_whose_notice_was_lost_is_found_and_advanced_once() {
    Dag.Task lostOffer = Dag.of("a").started();
    sql.run("delete from pgmq.q_worker_orders_queue");
    // A finished step with a successor that was not handed off; all steps finished and the task
    // open; a failure. An offer without its message before them, a task that was not started after
    // them.
    Dag.Task successor = Dag.linear(2).started();
    Dag.Task allSuccess = Dag.of("a").started();
    Dag.Task failed = Dag.of("a").notRetryable().started();
    for (Claim claim : worker.claim(3)) {
      worker.submitResults(
          claim.task().equals(failed.uuid()) ? claim.permanentFailure() : claim.success());
    }
    Dag.Task neverStarted = Dag.of("a").submitted();
    sql.run("delete from pgmq.q_orchestration_step_results");
    Instant later = Instant.now().plusSeconds(31);

    // A bounded batch: two tasks a round.
    int rounds = 0;
    for (int processed = 1; processed > 0; rounds++) {
      processed = sql
          .object("select tasker.advance_due_tasks(?, 2, p_now => ?)", UUID.randomUUID(), later)
          .getInt("tasks");
      assertThat(processed).isLessThanOrEqualTo(2);
    }

    assertThat(rounds).isEqualTo(4);
    assertThatStep(successor.step("s2")).isIn("enqueued").hasAttempts(1);
    assertThatTask(allSuccess).isIn("complete").hasNoWakeUp();
    assertThatTask(failed).isIn("blocked_by_failures").hasNoWakeUp();
    assertThatStep(lostOffer.step("a")).isIn("enqueued").hasAttempts(1);
    assertThatStep(neverStarted.step("a")).isIn("enqueued").hasAttempts(1);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(3);

    // A second poll, even one forced to evaluate all of them, is a no-op.
    String before = everything();
    sql.run("update tasker.task_wakeups set wake_at = ?", later);
    sql.object("select tasker.advance_due_tasks(?, 100, p_now => ?)", UUID.randomUUID(), later);
    assertThat(everything()).isEqualTo(before);
    worker.runToTheEnd();
    for (Dag.Task task : List.of(successor, lostOffer, neverStarted)) {
      assertThatTask(task).isIn("complete");
    }
  }

  @Test
  void E1_the_poll_reads_an_index_and_no_table() {
    // Of an empty table any index is as good as the other.
    Dag.of("a").started(200);
    sql.run("analyze tasker.task_wakeups, tasker.tasks");
    sql.run("set enable_seqscan = off");
    List<String> plan = sql.texts(
        "explain select w.task_uuid from tasker.task_wakeups w join tasker.tasks t on t.task_uuid = w.task_uuid "
            + "where w.wake_at <= now() and t.context_checked order by w.wake_at limit 50");
    assertThat(String.join("\n", plan)).contains("task_wakeups_wake_at_idx")
        .doesNotContain("Seq Scan");
  }

  @Test
  void E3_handoff_and_acceptance_are_recorded_each_once_and_their_distance_can_be_read() {
    Dag.Task task = Dag.of("a").started();

    Map<String, Object> handoff = sql
        .rows(
            "select from_state::text, to_state::text, actor::text, handoff, created_at from tasker.workflow_step_transitions "
                + "where workflow_step_uuid = ? and to_state = 'enqueued'",
            task.step("a"))
        .get(0);
    assertThat(handoff).containsEntry("from_state", "pending")
        .containsEntry("actor", "orchestrator").containsEntry("handoff", 1);
    assertThat(handoff.get("created_at")).isNotNull();
    assertThat(unaccepted()).containsExactly(task.step("a").toString());

    Claim claim = worker.claimOne();

    assertThat(sql.texts(
        "select concat_ws(' ', from_state, to_state, actor, handoff, attempt) from tasker.workflow_step_transitions where workflow_step_uuid = ? and to_state = 'in_progress'",
        claim.step())).containsExactly("enqueued in_progress worker 1 1");
    assertThat(unaccepted()).isEmpty();
    assertThat(sql
        .isTrue(
            "select a.created_at - h.created_at between interval '0' and interval '1 minute' from tasker.workflow_step_transitions h "
                + "join tasker.workflow_step_transitions a using (workflow_step_uuid, handoff) where h.to_state = 'enqueued' and a.to_state = 'in_progress'"))
        .isTrue();
    JsonObject answer = worker.complete(claim.success());
    assertThat(answer.getJsonArray("ended")).hasSize(1);
  }

  /** Handoffs without an acceptance, from the records alone. */
  private List<String> unaccepted() {
    return sql.texts(
        "select h.workflow_step_uuid from tasker.workflow_step_transitions h where h.to_state = 'enqueued' and not exists ("
            + "select from tasker.workflow_step_transitions a where a.workflow_step_uuid = h.workflow_step_uuid and a.handoff = h.handoff and a.from_state = 'enqueued')");
  }
}
