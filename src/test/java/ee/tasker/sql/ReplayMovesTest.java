package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.SingleMoves;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.BreaksPromises
@DatabaseTest.Covers({"replay_moves", "get_model_moves"})
class ReplayMovesTest {
  private static final String UNKNOWN = "select kind || ' ' || concat_ws(' ', from_state, to_state, actor) || ': ' || "
      + "unknown || ' of ' || moves || ', ' || (examples -> 0 ->> 'complaint') from tasker.replay_moves() where unknown > 0";

  private final Sql sql = Sql.open();
  private final Dag.Task task = Dag.linear(2).started();

  private List<String> after(String damage) {
    sql.run("set session_replication_role = replica");
    SingleMoves.spellOut(sql);
    assertThat(sql.run(damage)).isPositive();
    return sql.texts(UNKNOWN);
  }

  private void complete() {
    try (SqlWorker worker = SqlWorker.open()) {
      worker.runToTheEnd();
    }
  }

  @Test
  void a_sound_history_is_counted_move_by_move() {
    complete();
    assertThat(sql.texts(
        "select concat_ws(' ', kind, from_state, to_state, actor, moves, unknown) from tasker.replay_moves() where kind = 'step'"))
        .containsExactlyInAnyOrder("step pending orchestrator 2 0",
            "step pending enqueued orchestrator 2 0", "step enqueued in_progress worker 2 0",
            "step in_progress enqueued_for_orchestration worker 2 0",
            "step enqueued_for_orchestration complete orchestrator 2 0");
    assertThat(sql.number("select sum(moves) from tasker.replay_moves()"))
        .isEqualTo(sql.number("select (select count(*) from tasker.workflow_step_transitions) + "
            + "(select count(*) from tasker.task_transitions)"));
  }

  @Test
  void attempts_that_are_given_back_and_reset_are_followed() {
    try (SqlWorker worker = SqlWorker.open()) {
      SqlWorker.Claim claim = worker.claimOne();
      sql.object("select tasker.release_steps(?::jsonb, ?)",
          "[{\"step_uuid\": \"%s\", \"task_uuid\": \"%s\", \"handoff\": %d}]"
              .formatted(claim.step(), claim.task(), claim.handoff()),
          worker.uuid());
      worker.complete(worker.claimOne().yielded("{\"n\": 1}", 0));
      sql.run(
          "update tasker.workflow_steps set next_retry_at = now() where state = 'waiting_for_retry'");
      sql.object("select tasker.evaluate_tasks(array[?], null)", task.uuid());
      worker.complete(worker.claimOne().permanentFailure());
      sql.object("select tasker.act_on_task(?, 'retry', 'ann', 'test')", task.uuid());
      worker.claimOne();
    }
    sql.object("select tasker.request_cancel(?, 'ann', 'test')", task.uuid());
    assertThat(sql.texts(UNKNOWN)).isEmpty();
  }

  @Test
  void a_move_that_the_models_do_not_have_is_found_although_the_rules_were_changed_with_it() {
    complete();
    try (Sql changing = Sql.session()) {
      changing.run("set local session_replication_role = replica");
      SingleMoves.spellOut(changing);
      changing.run("insert into tasker.workflow_step_transition_rules "
          + "(from_state, to_state, actor, meaning) values ('in_progress', 'complete', 'worker', 'x')");
      changing.run("update tasker.step_moves set to_state = 'complete' "
          + "where to_state = 'enqueued_for_orchestration'");
      assertThat(changing.texts(UNKNOWN)).contains(
          "step in_progress complete worker: 2 of 2, the models have no such move");
      changing.rollback();
    }
  }

  @Test
  void a_move_of_another_actor_is_unknown() {
    assertThat(after("update tasker.task_moves set actor = 'worker' where sort_key = 2"))
        .containsExactly(
            "task pending initializing worker: 1 of 1, the models have no such move");
  }

  @Test
  void a_move_that_is_missing_is_found_by_the_next() {
    complete();
    assertThat(after("delete from tasker.step_moves where to_state = 'in_progress'"))
        .containsExactly(
            "step in_progress enqueued_for_orchestration worker: 2 of 2, begins in in_progress, the one before ended in enqueued");
  }

  @Test
  void a_doubled_number_a_handoff_and_an_attempt_that_do_not_follow_are_found() {
    complete();
    assertThat(after(
        "update tasker.step_moves set sort_key = 9 where to_state = 'complete'"))
        .containsExactly(
            "step enqueued_for_orchestration complete orchestrator: 2 of 2, is number 9 after number 4");
    assertThat(after(
        "update tasker.step_moves set handoff = 7 where to_state = 'complete'"))
        .hasSize(1);
    sql.run(
        "update tasker.step_moves set sort_key = 5, handoff = 1 where to_state = 'complete'");
    assertThat(after(
        "update tasker.step_moves set attempt = 3 where to_state = 'complete'"))
        .containsExactly(
            "step enqueued_for_orchestration complete orchestrator: 2 of 2, has attempt 3 after 1");
    assertThat(after(
        "update tasker.step_moves set attempt = 1, handoff = 2 where to_state = 'complete'"))
        .containsExactly(
            "step enqueued_for_orchestration complete orchestrator: 2 of 2, has handoff 2 after 1");
  }

  @Test
  void only_histories_that_began_from_a_time_on_are_replayed() {
    assertThat(sql.number("select count(*) from tasker.replay_moves(now() + interval '1 minute')"))
        .isZero();
    assertThat(sql.number("select count(*) from tasker.replay_moves(now() - interval '1 minute')"))
        .isPositive();
  }
}
