package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"get_step_readiness_status_batch", "get_ready_steps",
  "check_step_dependencies", "evaluate_step_state_readiness",
  "calculate_step_next_retry_time", "get_task_execution_context",
  "get_task_execution_contexts_batch"})
class GetStepReadinessStatusTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void one_row_per_step_says_what_it_waits_for() {
    Dag.Task task = Dag.diamond().submitted();
    assertThat(sql
        .texts(
            "select concat_ws(' ', name, current_state, total_parents, completed_parents, dependencies_satisfied, ready_for_execution) "
                + "from tasker.get_step_readiness_status(?)",
            task.uuid()))
        .containsExactly("a pending 0 0 t t", "b pending 1 0 f f", "c pending 1 0 f f",
            "d pending 2 0 f f");
    assertThat(sql.texts("select name from tasker.get_ready_steps(?)", task.uuid()))
        .containsExactly("a");
  }

  @Test
  void a_filter_on_steps_still_sees_all_their_parents() {
    Dag.Task task = Dag.diamond().started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    assertThat(sql.text(
        "select concat_ws(' ', total_parents, completed_parents, dependencies_satisfied) from tasker.get_step_readiness_status(?, array[?]::uuid[])",
        task.uuid(), task.step("d"))).isEqualTo("2 1 f");
    assertThat(sql.isTrue("select tasker.check_step_dependencies(?)", task.step("d"))).isFalse();
    worker.complete(worker.claimOne().success());
    assertThat(sql.text(
        "select concat_ws(' ', total_parents, completed_parents, dependencies_satisfied) from tasker.get_step_readiness_status(?, array[?]::uuid[])",
        task.uuid(), task.step("d"))).isEqualTo("2 2 t");
    assertThat(sql.isTrue("select tasker.check_step_dependencies(?)", task.step("d"))).isTrue();
    assertThat(sql.text("select tasker.check_step_dependencies(gen_random_uuid())")).isNull();
  }

  @Test
  void a_retry_is_ready_once_it_is_due() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().retryableFailure(10_000));
    String ready = "select count(*) from tasker.get_ready_steps(?, ?)";
    assertThat(sql.number(ready, task.uuid(), Instant.now().plusSeconds(9))).isZero();
    assertThat(sql.number(ready, task.uuid(), Instant.now().plusSeconds(11))).isEqualTo(1);
  }

  @Test
  void a_step_that_recovery_put_back_is_ready_at_once() {
    Dag.Task task = Dag.of("a").maxAttempts(2).backoff("linear", 60_000, 60_000).started();
    Claim claim = worker.claimOne();
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = now() - interval '1 second' where workflow_step_uuid = ?",
        claim.step());
    sql.text(
        "select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'pending', 'recovery', null)",
        claim.step());
    assertThat(sql.number("select count(*) from tasker.get_ready_steps(?)", task.uuid()))
        .isEqualTo(1);
  }

  @Test
  void readiness_needs_every_one_of_its_conditions() {
    String call = "select tasker.evaluate_step_state_readiness(?, ?, ?, ?, ?, ?, ?, now())";
    Instant past = Instant.now().minusSeconds(9);
    Instant future = Instant.now().plusSeconds(60);
    assertThat(sql.isTrue(call, "pending", false, false, true, true, true, null)).isTrue();
    assertThat(sql.isTrue(call, "waiting_for_retry", false, false, true, true, true, past))
        .isTrue();
    assertThat(sql.isTrue(call, "waiting_for_retry", false, false, true, true, true, future))
        .isFalse();
    assertThat(sql.isTrue(call, "error", false, false, true, true, true, null)).isFalse();
    assertThat(sql.isTrue(call, "pending", true, false, true, true, true, null)).isFalse();
    assertThat(sql.isTrue(call, "pending", false, true, true, true, true, null)).isFalse();
    assertThat(sql.isTrue(call, "pending", false, false, false, true, true, null)).isFalse();
    assertThat(sql.isTrue(call, "pending", false, false, true, false, true, null)).isFalse();
  }

  @Test
  void the_next_retry_follows_a_requested_wait_or_else_the_failure() {
    String call = "select extract(epoch from tasker.calculate_step_next_retry_time(?, ?, ?, ?) - ?::timestamptz)::int";
    Instant at = Instant.now();
    assertThat(sql.number(call, 30, at, at.plusSeconds(5), 1, at)).isEqualTo(30);
    assertThat(sql.number(call, null, at, at, 3, at)).isEqualTo(8);
    assertThat(sql.number(call, null, at, at, 30, at)).isEqualTo(60);
    assertThat(sql.text(call, null, at, null, 1, at)).isNull();
  }

  @Test
  void the_execution_context_tells_in_one_word_how_a_task_is() {
    Dag.Task task = Dag.linear(2).submitted();
    String status = "select concat_ws(' ', execution_status, recommended_action, health_status, completion_percentage) from tasker.get_task_execution_context(?)";
    assertThat(sql.text(status, task.uuid()))
        .isEqualTo("has_ready_steps execute_ready_steps healthy 0.00");
    worker.advance();
    assertThat(sql.text(status, task.uuid()))
        .isEqualTo("processing wait_for_completion healthy 0.00");
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().retryableFailure(60_000));
    assertThat(sql.text(status, task.uuid()))
        .isEqualTo("waiting_for_retry wait_for_retry recovering 50.00");
    worker.at(Instant.now().plusSeconds(61)).advance();
    worker.at(null).complete(worker.claimOne().permanentFailure());
    assertThat(sql.text(status, task.uuid()))
        .isEqualTo("blocked_by_failures handle_failures blocked 50.00");
    assertThat(sql.rows("select * from tasker.get_task_execution_context(gen_random_uuid())"))
        .isEmpty();
    sql.text(
        "select tasker.transition_task_state_atomic(?, 'blocked_by_failures', 'error', null, '{\"actor\": \"operator\"}')",
        task.uuid());
    assertThat(sql.text(status, task.uuid())).isEqualTo("blocked_by_failures none closed 50.00");
  }

  @Test
  void nothing_of_a_finished_task_is_to_be_done_or_tried_again() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    assertThat(sql.text(
        "select concat_ws(' ', recommended_action, ready_steps) from tasker.get_task_execution_context(?)",
        task.uuid()))
        .isEqualTo("none 0");
    assertThat(
        sql.isTrue("select retry_eligible from tasker.get_step_readiness_status(?)", task.uuid()))
        .isFalse();
  }
}
