package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The first layer alone: what the tables refuse from any writer, independently of the functions, and
 * what becomes of it in an installation that leaves the guards out.
 */
@DatabaseTest
@DatabaseTest.Covers({"guard_tables", "has_guard", "list_guards", "find_fact_violations"})
class TableGuardsTest {
  private final Sql sql = Sql.open();

  /**
   * Everything in one transaction that is rolled back: each statement has to be refused by the
   * constraint of that name.
   */
  private void refusedBy(Map<String, String> statements) {
    Map<String, String> answers = new LinkedHashMap<>();
    try (Sql session = Sql.session()) {
      statements.forEach((constraint, statement) -> {
        Throwable refusal = catchThrowable(() -> session.run(statement));
        session.rollback();
        answers.put(constraint,
            refusal == null ? "accepted" : refusal.getMessage().contains("\"" + constraint + "\"")
                ? "refused" : refusal.getMessage());
      });
    }
    assertThat(answers)
        .allSatisfy((constraint, answer) -> assertThat(answer).as(constraint).isEqualTo("refused"));
  }

  private static final String COPY_OF_A_STEP = "insert into tasker.workflow_steps (workflow_step_uuid, task_uuid, named_step_uuid, step_position, transition_count, "
      + "total_parents, remaining_parents, max_attempts, retryable) select ";

  @Test
  void what_is_unique_cannot_be_there_twice() {
    Dag.linear(2).identity("strict").context("{\"n\": 1}").started();
    Dag.Task failed = Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.claim(2).forEach(claim -> worker.complete(
          claim.task().equals(failed.uuid()) ? claim.permanentFailure() : claim.success()));
    }
    Map<String, String> statements = new LinkedHashMap<>(Map.of(
        "one_step_per_task_and_position",
        COPY_OF_A_STEP
            + "gen_random_uuid(), task_uuid, named_step_uuid, step_position, 1, 0, 0, 1, true from tasker.workflow_steps limit 1",
        "workflow_steps_pkey",
        COPY_OF_A_STEP
            + "workflow_step_uuid, task_uuid, named_step_uuid, 99, 1, 0, 0, 1, true from tasker.workflow_steps limit 1",
        "workflow_step_result_audit_pkey",
        "insert into tasker.workflow_step_result_audit (workflow_step_uuid, sort_key, task_uuid, handoff, attempt, outcome) "
            + "select workflow_step_uuid, sort_key, task_uuid, 2, 2, 'success' from tasker.workflow_step_result_audit limit 1",
        "added_step_edges_pkey",
        "insert into tasker.added_step_edges select task_uuid, 1, 2 from tasker.tasks cross join generate_series(1, 2)",
        "task_wakeups_pkey",
        "insert into tasker.task_wakeups select task_uuid, now() from tasker.task_wakeups limit 1",
        "tasks_identity_hash_key",
        "insert into tasker.tasks (task_uuid, named_task_uuid, correlation_id, claim_order, created_at, requested_at, state, priority, transition_count, total_steps, unfinished_steps, is_keyed, identity_hash) "
            + "select gen_random_uuid(), named_task_uuid, correlation_id, claim_order, created_at, requested_at, 'pending', 0, 1, 2, 2, is_keyed, identity_hash from tasker.tasks where identity_hash is not null limit 1",
        "one_open_investigation_per_task",
        "insert into tasker.tasks_dlq (task_uuid, original_state, dlq_reason, task_snapshot) select task_uuid, 'pending', 'manual_dlq', '{}' from tasker.tasks_dlq limit 1",
        "one_template_per_version",
        "insert into tasker.named_tasks (task_namespace_uuid, name, version, configuration, content_hash, has_input_schema, total_steps, initial_steps, root_steps) "
            + "select task_namespace_uuid, name, version, '{}', 'other', false, 1, 1, 1 from tasker.named_tasks limit 1",
        "step_names_are_unique_per_template",
        "insert into tasker.named_steps (named_task_uuid, name) select named_task_uuid, name from tasker.named_steps limit 1",
        "one_rule_per_step_move",
        "insert into tasker.workflow_step_transition_rules (from_state, to_state, actor, meaning) select from_state, to_state, actor, 'again' from tasker.workflow_step_transition_rules limit 1"));
    Dag.Task waiting = Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .step("sleep").dependsOn("pay").waitingOnly("{\"wait\": {\"for\": \"P1D\"}}").started();
    try (Sql sql = Sql.open()) {
      sql.text("select tasker.send_signals(array[?], 'payment', '1')", waiting.uuid());
    }
    statements.put("one_open_wait_per_step",
        "insert into tasker.step_waits (task_uuid, workflow_step_uuid, kind, armed_at, due_at) select task_uuid, workflow_step_uuid, kind, armed_at, due_at from tasker.step_waits where state = 'open'");
    statements.put("task_signals_wait_uuid_key",
        "insert into tasker.task_signals (task_uuid, name, number, sent_at, payload, wait_uuid, consumed_at) select task_uuid, name, 2, sent_at, payload, wait_uuid, consumed_at from tasker.task_signals");
    statements.put("one_name_per_added_step",
        "update tasker.workflow_steps set name = 'added' where step_position in (1, 2)");
    refusedBy(statements);
  }

  /** What each CHECK of list_guards refuses, on the rows of {@link #started}. */
  private static Map<String, String> contradictions() {
    Map<String, String> statements = new LinkedHashMap<>();
    statements.put("leased_iff_in_progress",
        "update tasker.workflow_steps set lease_expires_at = null where state = 'in_progress'");
    statements.put("retry_time_iff_waiting",
        "update tasker.workflow_steps set next_retry_at = now() where state = 'pending'");
    statements.put("completed_at_iff_finished",
        "update tasker.workflow_steps set completed_at = now() where state = 'pending'");
    statements.put("started_means_parents_are_done",
        "update tasker.workflow_steps set state = 'enqueued' where state = 'pending'");
    statements.put("parents_are_counted",
        "update tasker.workflow_steps set remaining_parents = 2 where state = 'pending'");
    statements.put("attempts_are_not_negative",
        "update tasker.workflow_steps set max_attempts = -1 where state = 'pending'");
    statements.put("attempts_were_handed_off",
        "update tasker.workflow_steps set attempts = handoffs + 1 where state = 'pending'");
    statements.put("reset_is_behind",
        "update tasker.workflow_steps set attempts_before_reset = attempts + 1 where state = 'pending'");
    statements.put("worker_has_a_name",
        "update tasker.workflow_steps set batch_step_uuid = gen_random_uuid(), step_position = 1000001 where state = 'pending'");
    statements.put("worker_is_behind_the_steps",
        "update tasker.workflow_steps set batch_step_uuid = gen_random_uuid(), name = 'worker' where state = 'pending'");
    statements.put("completed_at_iff_terminal", "update tasker.tasks set completed_at = now()");
    statements.put("complete_iff_no_step_is_left",
        "update tasker.tasks set state = 'complete', completed_at = now(), in_flight_steps = 0");
    statements.put("terminal_means_nothing_in_flight",
        "update tasker.tasks set state = 'cancelled', completed_at = now()");
    statements.put("counters_are_sane",
        "update tasker.tasks set in_flight_steps = in_flight_steps + 9");
    statements.put("priority_is_in_range", "update tasker.tasks set priority = 101");
    statements.put("delay_has_an_end", "update tasker.tasks set is_delayed = true");
    statements.put("compensates_for_its_parent",
        "update tasker.tasks set compensates_task_uuid = gen_random_uuid()");
    statements.put("cancel_request_is_whole",
        "update tasker.tasks set cancel_requested_at = now()");
    statements.put("identity_is_held_or_given_up",
        "update tasker.tasks set former_identity_hash = sha256('x')");
    statements.put("identity_is_given_up_after_the_end",
        "update tasker.tasks set former_identity_hash = sha256('x'), replaced_by_task_uuid = gen_random_uuid()");
    statements.put("context_is_an_object", "update tasker.task_contexts set context = '[]'");
    statements.put("trace_parent_is_of_w3c",
        "update tasker.task_contexts set trace_parent = 'here'");
    statements.put("no_step_depends_on_itself",
        "insert into tasker.added_step_edges select task_uuid, 1, 1 from tasker.tasks");
    statements.put("failure_has_an_error",
        "insert into tasker.workflow_step_result_audit (workflow_step_uuid, sort_key, task_uuid, handoff, attempt, outcome) "
            + "select workflow_step_uuid, 9, task_uuid, 1, 1, 'permanent_failure' from tasker.workflow_steps limit 1");
    return statements;
  }

  /** One step runs, and one waits for it. */
  private static void started() {
    Dag.linear(2).started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.claim(1);
    }
  }

  @Test
  void a_row_that_contradicts_itself_is_refused() {
    started();
    refusedBy(contradictions());
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'steps_in_process'"))
        .isEqualTo(1);
  }

  @Test
  void each_guard_that_can_be_left_out_is_tried_here() {
    assertThat(
        sql.texts("select guard from tasker.list_guards() where fact is not null order by 1"))
        .containsExactlyElementsOf(new TreeSet<>(contradictions().keySet()));
    assertThat(sql.texts(
        "select table_name || '.' || guard from tasker.list_guards() where fact is null order by 1"))
        .containsExactly("step_moves.moves_follow_the_rules",
            "task_moves.moves_follow_the_rules");
  }

  /** All in one transaction each, which is rolled back. */
  @Test
  void what_the_guards_would_have_refused_is_noticed_without_them() {
    started();
    Map<String, String> noticed = new LinkedHashMap<>();
    sql.run("select tasker.guard_tables(false)");
    try (Sql session = Sql.session()) {
      contradictions().forEach((fact, statement) -> {
        session.run(statement);
        noticed.put(fact, String.join(" ", session.texts(
            "select example ->> 'fact' from tasker.check_history() c, jsonb_array_elements(c.examples) example "
                + "where c.invariant = 'row_keeps_its_facts'")));
        session.rollback();
      });
      session.run(
          "insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor) "
              + "select task_uuid, transition_count + 1, state, 'complete', 'worker' from tasker.tasks");
      session.run(
          "insert into tasker.step_moves (workflow_step_uuid, task_uuid, sort_key, from_state, to_state, actor, handoff, attempt) "
              + "select workflow_step_uuid, task_uuid, 2, 'pending', 'complete', 'worker', 0, 0 from tasker.workflow_steps where state = 'pending'");
      noticed.put("moves_follow_the_rules", String.join(" ", session.texts(
          "select invariant from tasker.check_history() where violations > 0 and invariant like '%is_allowed_to_its_actor'")));
      session.rollback();
    } finally {
      sql.run("select tasker.guard_tables(true)");
    }
    assertThat(noticed).hasSize(25).allSatisfy((guard, what) -> assertThat(what).as(guard)
        .contains(guard.equals("moves_follow_the_rules")
            ? "task_move_is_allowed_to_its_actor step_move_is_allowed_to_its_actor" : guard));
  }

  @Test
  void guards_come_and_go_and_the_history_stays_append_only() {
    started();
    try (Sql session = Sql.session()) {
      assertThat(session.number("select tasker.guard_tables(true)")).isZero();
      assertThat(session.number("select tasker.guard_tables(false)")).isEqualTo(26);
      assertThat(session.number("select tasker.guard_tables(false)")).isZero();
      assertThat(session.texts(
          "select invariant from tasker.check_history() where violations > 0")).isEmpty();
      for (String change : List.of("update tasker.task_moves set metadata = '{}'",
          "delete from tasker.step_moves")) {
        session.run("savepoint here");
        assertThatDatabaseRefuses("TK009", () -> session.run(change));
        session.run("rollback to savepoint here");
      }
      assertThat(session.number("select tasker.guard_tables(true)")).isEqualTo(26);
      session.run("alter table tasker.tasks drop constraint counters_are_sane");
      assertThat(session.texts(
          "select examples ->> 0 from tasker.check_history() where invariant = 'guards_are_in_place'"))
          .containsExactly("{\"guard\": \"counters_are_sane\", \"table\": \"tasks\"}");
      assertThat(session.number("select tasker.guard_tables(true)")).isEqualTo(1);
      session.rollback();
    }
  }

  /** The second would otherwise change what it saw before the first had changed it, and fail. */
  @Test
  void servers_that_start_at_once_install_the_guards_once() {
    sql.run("select tasker.guard_tables(false)");
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(first.number("select tasker.guard_tables(true)")).isEqualTo(26);
      Sql.Later<Long> later = second
          .<Long>later(session -> session.number("select tasker.guard_tables(true)"))
          .untilItWaits();
      first.commit();
      assertThat(later.get()).isZero();
      second.commit();
    } finally {
      sql.run("select tasker.guard_tables(true)");
    }
  }

  /** Its lock would otherwise hold up those who come after it. */
  @Test
  void guards_give_way_to_who_is_at_work() {
    started();
    try (Sql busy = Sql.session(); Sql guarding = Sql.session()) {
      busy.run("update tasker.workflow_steps set created_at = created_at");
      guarding.run("set local lock_timeout = 0");
      guarding.run("set local statement_timeout = '5s'");
      assertThatDatabaseRefuses("55P03",
          () -> guarding.run("select tasker.guard_tables(false)"));
      guarding.rollback();
      // Not even the tables before it have changed.
      busy.run("update tasker.tasks set created_at = created_at");
      assertThat(busy.number(
          "select count(*) from tasker.list_guards() g where not tasker.has_guard(g.table_name, g.guard)"))
          .isZero();
      busy.rollback();
    }
  }
}
