package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"claim_task_for_finalization", "get_current_task_state"})
class FinalizeTaskCompletionTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static String finalise(Sql sql, Dag.Task task) {
    return sql.text(
        "select concat_ws(' ', finalized, state, already) from tasker.finalize_task_completion(?)",
        task.uuid());
  }

  private Dag.Task almostDone() {
    Dag.Task task = Dag.of("a").submitted();
    for (String[] move : new String[][]{{"pending", "initializing"},
      {"initializing", "waiting_for_dependencies"}}) {
      sql.text("select tasker.transition_task_state_atomic(?, ?, ?, null)", task.uuid(), move[0],
          move[1]);
    }
    // An operator has closed the step and the server crashed before it completed the task.
    sql.run("set session_replication_role = replica");
    sql.run(
        "update tasker.workflow_steps set state = 'resolved_manually', completed_at = now(), transition_count = 2");
    sql.run(
        "insert into tasker.step_moves (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt) "
            + "values (?, 2, ?, 'pending', 'resolved_manually', 'operator', 0, 0)",
        task.step("a"), task.uuid());
    sql.run("update tasker.tasks set unfinished_steps = 0");
    sql.run("set session_replication_role = origin");
    return task;
  }

  @Test
  void the_first_caller_finalises_and_the_second_gets_already() {
    Dag.Task task = almostDone();
    assertThat(finalise(sql, task)).isEqualTo("t complete f");
    assertThat(finalise(sql, task)).isEqualTo("f complete t");
  }

  @Test
  void of_two_callers_at_the_same_time_one_finalises() {
    Dag.Task task = almostDone();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(finalise(first, task)).isEqualTo("t complete f");
      Sql.Later<String> waiting = second.later(session -> finalise(session, task)).untilItWaits();
      first.commit();
      assertThat(waiting.get()).isEqualTo("f complete t");
    }
  }

  @Test
  void a_task_in_flight_or_not_started_is_left_as_it_is() {
    assertThat(finalise(sql, Dag.of("a").started())).isEqualTo("f steps_in_process f");
    assertThat(finalise(sql, Dag.of("a").submitted())).isEqualTo("f pending f");
    assertThat(sql.rows("select * from tasker.finalize_task_completion(gen_random_uuid())"))
        .isEmpty();
  }

  @Test
  void a_blocked_task_counts_as_already_finalised() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(finalise(sql, task)).isEqualTo("f blocked_by_failures t");
  }

  @Test
  void one_transaction_at_a_time_may_claim_a_finalisation_and_the_other_does_not_wait() {
    Dag.Task task = almostDone();
    String claim = "select tasker.claim_task_for_finalization(?, gen_random_uuid())";
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(first.isTrue(claim, task.uuid())).isTrue();
      assertThat(second.isTrue(claim, task.uuid())).isFalse();
      first.rollback();
      assertThat(second.isTrue(claim, task.uuid())).isTrue();
      finalise(second, task);
      second.commit();
    }
    assertThat(sql.isTrue(claim, task.uuid())).isFalse();
    assertThat(sql.text("select tasker.get_current_task_state(?)", task.uuid()))
        .isEqualTo("complete");
  }

  @Test
  void a_task_that_cannot_end_yet_is_not_claimed() {
    Dag.Task task = Dag.of("a").started();
    assertThat(sql.isTrue("select tasker.claim_task_for_finalization(?, null)", task.uuid()))
        .isFalse();
    assertThat(sql.isTrue("select tasker.claim_task_for_finalization(gen_random_uuid(), null)"))
        .isFalse();
    assertThat(sql.text("select tasker.get_current_task_state(gen_random_uuid())")).isNull();
  }
}
