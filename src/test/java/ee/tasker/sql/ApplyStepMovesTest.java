package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The writer of moves, by what every caller of it relies on. */
@DatabaseTest
@DatabaseTest.Covers({"apply_step_moves", "apply_task_moves"})
class ApplyStepMovesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Instant now = sql.instant("select clock_timestamp() + interval '3 hours'");

  /** Moves one step, and returns how many moved and what its caller has to roll up. */
  private String move(Dag.Task task, String step, int handoff, String move, boolean countsAll) {
    String[] words = move.split(" ");
    return sql.text(
        """
        select cardinality(m.o_moved) || ' ' || coalesce(m.o_deltas[1]::text, '-')
        from tasker.apply_step_moves(
          array[(cast(? as uuid), cast(? as int), ?, ?, ?, null,
                 case when cast(? as text) = 'error' then 'permanent_failure' end, null,
                 case when cast(? as text) = 'error' then '{"type": "X", "message": "x"}' end, null,
                 null)::tasker.step_move],
          null, ?, ?) m""",
        task.step(step), handoff, words[0], words[1], words[2], words[1], words[1], now, countsAll);
  }

  private String counters(Dag.Task task) {
    return sql.text(
        "select concat_ws(' ', t.in_flight_steps, t.unfinished_steps, t.failed_steps, t.retrying_steps) from tasker.tasks t where t.task_uuid = ?",
        task.uuid());
  }

  private void evaluate(Dag.Task task) {
    sql.text("select tasker.evaluate_tasks(array[cast(? as uuid)], null, 0, 60, ?)::text",
        task.uuid(), now);
  }

  @Test
  void a_step_in_another_state_or_of_another_handoff_is_left_out() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();
    String before = counters(task);

    assertThat(move(task, "a", 2, "in_progress error recovery", true)).isEqualTo("0 -");
    assertThat(move(task, "a", 0, "in_progress error recovery", true)).isEqualTo("0 -");
    assertThat(move(task, "a", 1, "enqueued error recovery", true)).isEqualTo("0 -");

    assertThat(sql.text("select s.state::text from tasker.workflow_steps s where s.task_uuid = ?",
        task.uuid())).isEqualTo("in_progress");
    assertThat(counters(task)).isEqualTo(before);
  }

  @Test
  void a_move_that_no_rule_allows_and_a_handoff_are_refused() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();

    for (String move : List.of("in_progress complete orchestrator", "in_progress error operator",
        "pending enqueued orchestrator")) {
      assertThatThrownBy(() -> move(task, "a", 1, move, true))
          .hasMessageContaining("a step may not move from " + move.split(" ")[0]);
    }
  }

  @Test
  void counters_follow_and_a_failure_is_counted_at_once() {
    Dag.Task all = Dag.of("a").step("b").started();
    Dag.Task rest = Dag.of("a").step("b").started();
    worker.claim(4);
    assertThat(counters(all)).isEqualTo("2 2 0 0");

    assertThat(move(all, "a", 1, "in_progress error recovery", true))
        .isEqualTo("1 (" + all.uuid() + ",0,0,0,0)");
    assertThat(counters(all)).isEqualTo("1 2 1 0");
    assertThat(move(rest, "a", 1, "in_progress error recovery", false))
        .isEqualTo("1 (" + rest.uuid() + ",0,0,0,0)");
    assertThat(counters(rest)).isEqualTo("1 2 1 0");
    assertThat(move(rest, "b", 1, "in_progress pending worker", false))
        .isEqualTo("1 (" + rest.uuid() + ",-1,0,0,0)");
    assertThat(counters(rest)).isEqualTo("1 2 1 0");

    sql.text(
        "select count(*)::text from tasker.roll_up_task_states(array[(cast(? as uuid), -1, 0, 0, 0)::tasker.task_delta], null, ?)",
        rest.uuid(), now);
    assertThat(counters(rest)).isEqualTo("0 2 1 0");
  }

  @Test
  void all_times_are_those_of_the_caller() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();

    move(task, "a", 1, "in_progress error recovery", true);

    assertThat(sql.text(
        """
        select concat_ws(' ', s.completed_at = ?, s.last_failure_at = ?, r.recorded_at = ?)
        from tasker.workflow_steps s
        join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
          and r.sort_key = s.result_sort_key
        where s.task_uuid = ?""",
        now, now, now, task.uuid())).isEqualTo("t t t");
    evaluate(task);
    assertThatTask(task).isIn("blocked_by_failures");
  }

  @Test
  void a_handoff_that_is_given_back_was_no_attempt() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();

    move(task, "a", 1, "in_progress pending worker", true);

    assertThat(sql.text(
        """
        select concat_ws(' ', s.handoffs, s.attempts, h.handoff, h.attempt)
        from tasker.workflow_steps s
        join tasker.workflow_step_transitions h on h.workflow_step_uuid = s.workflow_step_uuid
          and h.sort_key = s.transition_count
        where s.task_uuid = ?""",
        task.uuid())).isEqualTo("1 0 1 1");
    evaluate(task);
  }

  private String moveTask(Dag.Task task, String from, String to) {
    return sql.text(
        """
        select cardinality(tasker.apply_task_moves(
          array[(cast(? as uuid), ?, ?, 'operator', '{"reason": "x"}')::tasker.task_change],
          null, ?))::text""",
        task.uuid(), from, to, now);
  }

  @Test
  void a_task_in_another_state_is_left_out_and_a_move_without_a_rule_is_refused() {
    Dag.Task task = Dag.of("a").started();

    assertThat(moveTask(task, "blocked_by_failures", "error")).isEqualTo("0");
    assertThatThrownBy(() -> moveTask(task, "steps_in_process", "error"))
        .hasMessageContaining("a task may not move from steps_in_process to error by operator");

    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void a_task_that_is_ended_by_hand_has_no_wake_up_and_one_that_is_reopened_has_one() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();
    move(task, "a", 1, "in_progress error recovery", true);
    evaluate(task);

    assertThat(moveTask(task, "blocked_by_failures", "error")).isEqualTo("1");
    assertThat(wakeUp(task)).isEqualTo("none");
    assertThat(moveTask(task, "error", "evaluating_results")).isEqualTo("1");
    assertThat(wakeUp(task)).isEqualTo("at once");
    evaluate(task);
    assertThatTask(task).isIn("blocked_by_failures");
  }

  private String wakeUp(Dag.Task task) {
    return sql.text(
        "select coalesce((select case when w.wake_at = ? then 'at once' else w.wake_at::text end from tasker.task_wakeups w where w.task_uuid = ?), 'none')",
        now, task.uuid());
  }
}
