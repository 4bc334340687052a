package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.SingleMoves;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.TestDatabase;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One row for what a transaction did, and views with a row for each move: docs/adr/0088. */
@DatabaseTest
@DatabaseTest.Covers("name_task_path")
class HistoryPathsTest {
  private static final String ALL_MOVES = "select to_jsonb(h) #>> '{}' as move from tasker.task_transitions h "
      + "union all select to_jsonb(h) #>> '{}' from tasker.workflow_step_transitions h order by 1";
  private final Sql sql = Sql.open();

  @Test
  void the_name_of_a_path_and_its_moves_are_those_of_task_path() {
    assertThat(sql.texts("""
        select f || ' to ' || t || ': ' || tasker.task_path(f, t)::text
        from unnest(enum_range(null::tasker.task_state)) f,
             unnest(enum_range(null::tasker.task_state)) t
        cross join lateral (select tasker.task_path(f, t) as states) p
        where f <> t
          and f not in ('complete', 'error', 'cancelled', 'resolved_manually')
          -- Where a task can stay: roll_up_task_states leads nowhere else.
          and t in ('steps_in_process', 'waiting_for_dependencies', 'waiting_for_retry',
                    'blocked_by_failures', 'complete', 'error', 'cancelled')
          and array(select coalesce(n.to_state, t)
                    from (values (1)) as one
                    left join tasker.task_paths n on n.path = tasker.name_task_path(f, t)
                    order by n.number) <> p.states[2:]""")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"task", "step"})
  void every_path_is_whole_and_each_move_begins_where_the_one_before_ended(String mover) {
    assertThat(sql.texts("select unnest(enum_range(null::tasker." + mover + "_path_name))"))
        .containsExactlyInAnyOrderElementsOf(
            sql.texts("select distinct path from tasker." + mover + "_paths"));
    assertThat(sql.texts("""
        select path from (
          select path, number, moves, from_state, to_state,
                 count(*) over (partition by path) as there,
                 lag(to_state) over (partition by path order by number) as before
          from tasker.%s_paths) p
        where there <> moves or from_state is distinct from before
          or (to_state is null) <> (number = moves)""".formatted(mover))).isEmpty();
  }

  @Test
  void a_task_of_one_step_leaves_a_row_for_what_each_transaction_did() {
    Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.runToTheEnd();
    }
    assertThat(sql.texts("select concat_ws(' ', sort_key, from_state, to_state, path) "
        + "from tasker.task_moves order by 1"))
        .containsExactly("4 steps_in_process created_and_started",
            "6 steps_in_process complete evaluated");
    assertThat(sql.texts("select concat_ws(' ', sort_key, from_state, to_state, path) "
        + "from tasker.step_moves order by 1"))
        .containsExactly("2 enqueued created_and_offered", "3 enqueued in_progress",
            "5 in_progress complete completed_at_once");
    assertThat(sql.texts("select concat_ws(' ', sort_key, from_state, to_state, actor) "
        + "from tasker.task_transitions order by sort_key"))
        .containsExactly("1 pending orchestrator", "2 pending initializing orchestrator",
            "3 initializing enqueuing_steps orchestrator",
            "4 enqueuing_steps steps_in_process orchestrator",
            "5 steps_in_process evaluating_results orchestrator",
            "6 evaluating_results complete orchestrator");
    assertThat(sql.texts("select concat_ws(' ', sort_key, from_state, to_state, actor, handoff, "
        + "attempt) from tasker.workflow_step_transitions order by sort_key"))
        .containsExactly("1 pending orchestrator 0 0", "2 pending enqueued orchestrator 1 1",
            "3 enqueued in_progress worker 1 1",
            "4 in_progress enqueued_for_orchestration worker 1 1",
            "5 enqueued_for_orchestration complete orchestrator 1 1");
  }

  @Test
  void a_step_that_is_claimed_when_its_parent_completes_has_one_row_for_that() {
    Dag.linear(2).started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(1, List.of(worker.claimOne().success()));
    }
    assertThat(sql.texts("select concat_ws(' ', step_position, m.sort_key, m.from_state, "
        + "m.to_state, m.actor, m.path, m.handoff) from tasker.step_moves m "
        + "join tasker.workflow_steps s using (workflow_step_uuid) order by 1"))
        .containsExactly("1 2 enqueued orchestrator created_and_offered 1",
            "1 3 enqueued in_progress worker 1",
            "1 5 in_progress complete orchestrator completed_at_once 1",
            "2 3 pending in_progress worker claimed_at_once 1");
  }

  /** One request and two go different ways; one that has to wait hands off no step. */
  @Test
  void the_steps_of_a_task_are_born_in_its_row() {
    bornInARow(Dag.diamond(), 1, 3);
    TestDatabase.get().reset();
    bornInARow(Dag.diamond(), 2, 6);
    TestDatabase.get().reset();
    bornInARow(Dag.diamond().option("start_at", Instant.now().plusSeconds(3_600).toString()), 1, 4);
  }

  private void bornInARow(Dag dag, int requests, int births) {
    dag.started(requests);
    assertThat(sql.number("select sum(cardinality(born_steps)) from tasker.task_moves"))
        .isEqualTo(births);
    assertThat(sql.texts("select to_state from tasker.step_moves where sort_key = 1")).isEmpty();
    assertThat(sql.texts("""
        select concat_ws(' ', h.from_state, h.to_state, h.actor, h.handoff, h.attempt, h.metadata)
        from tasker.workflow_steps s
        left join tasker.workflow_step_transitions h
          on h.workflow_step_uuid = s.workflow_step_uuid and h.task_uuid = s.task_uuid
          and h.sort_key = 1
        """)).containsOnly("pending orchestrator 0 0").hasSize(4 * requests);
    assertThat(sql.number("""
        select count(*)
        from tasker.workflow_step_transitions h
        join tasker.task_transitions t on t.task_uuid = h.task_uuid and t.sort_key = 1
          and t.xact_id = h.xact_id and t.processor_uuid is not distinct from h.processor_uuid
        where h.sort_key = 1 and h.created_at >= t.created_at""")).isEqualTo(4 * requests);
  }

  /** So event streams show it: what is born with a task is born before anything is handed off. */
  @Test
  void steps_are_born_before_the_first_is_handed_off() {
    Dag.diamond().started(1);
    Dag.diamond().started(2);
    assertThat(sql.number("""
        select count(*)
        from tasker.workflow_step_transitions b
        join tasker.workflow_step_transitions o on o.task_uuid = b.task_uuid
          and o.to_state = 'enqueued'
        where b.sort_key = 1 and b.created_at > o.created_at""")).isZero();
  }

  /** History is never small: where an index can be used, no partition of it is read whole. */
  @Test
  void history_is_read_by_task_and_by_transaction() {
    Dag.Task task = Dag.linear(2).started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.runToTheEnd();
    }
    for (String read : List.of("select count(*) from tasker.workflow_step_transitions "
        + "where task_uuid = '" + task.uuid() + "'",
        "select count(*) from tasker.workflow_step_transitions where xact_id >= 1",
        "select count(*) from tasker.task_transitions where xact_id >= 1",
        "select jsonb_array_length(tasker.get_task_history('" + task.uuid() + "'))",
        "select json_array_length(tasker.get_events(1) -> 'events')")) {
      try (Sql session = Sql.session()) {
        session.run("set local enable_seqscan = off");
        assertThat(session.number(read)).as(read).isPositive();
        assertThat(session.texts("select relname from pg_stat_xact_user_tables "
            + "where relname ~ '^(task|step)_moves_' and seq_scan > 0")).as(read).isEmpty();
        session.rollback();
      }
    }
  }

  @Test
  void a_history_that_is_spelled_out_is_the_same() {
    Dag.linear(2).started();
    try (SqlWorker worker = SqlWorker.open(); Sql past = Sql.session()) {
      worker.runToTheEnd();
      String before = String.join("\n", sql.texts(ALL_MOVES));
      past.run("set local session_replication_role = replica");
      SingleMoves.spellOut(past);
      assertThat(past.number(
          "select (select count(*) from tasker.task_moves where path is not null "
              + "or born_steps is not null) "
              + "+ (select count(*) from tasker.step_moves where path is not null)"))
          .isZero();
      assertThat(String.join("\n", past.texts(ALL_MOVES))).isEqualTo(before);
      past.rollback();
    }
  }
}
