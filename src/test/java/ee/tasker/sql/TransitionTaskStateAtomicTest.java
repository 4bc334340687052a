package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
class TransitionTaskStateAtomicTest {
  private final Sql sql = Sql.open();

  private static boolean move(Sql sql, Dag.Task task, String from, String to, String metadata) {
    return sql.isTrue("select tasker.transition_task_state_atomic(?, ?, ?, ?, ?)", task.uuid(),
        from, to, UUID.randomUUID(), metadata);
  }

  @Test
  void a_move_from_the_right_state_is_made_and_recorded_with_its_metadata() {
    Dag.Task task = Dag.of("a").submitted();
    assertThat(move(sql, task, "pending", "initializing", "{\"why\": \"test\"}")).isTrue();
    assertThatTask(task).isIn("initializing").went("initializing");
    assertThat(sql.text("select metadata from tasker.task_transitions where sort_key = 2"))
        .isEqualTo("{\"why\": \"test\"}");
  }

  @Test
  void a_move_from_another_state_is_a_lost_race_and_leaves_nothing() {
    Dag.Task task = Dag.of("a").started();
    assertThat(move(sql, task, "pending", "initializing", "{}")).isFalse();
    assertThat(sql.isTrue(
        "select tasker.transition_task_state_atomic(gen_random_uuid(), 'pending', 'initializing', null)"))
        .isFalse();
    assertThatTask(task).went("initializing", "enqueuing_steps", "steps_in_process");
  }

  @Test
  void any_processor_may_go_on_where_another_one_stopped() {
    Dag.Task task = Dag.of("a").submitted();
    assertThat(move(sql, task, "pending", "initializing", "{}")).isTrue();
    assertThat(move(sql, task, "initializing", "enqueuing_steps", "{}")).isTrue();
    assertThat(sql.number("select count(distinct processor_uuid) from tasker.task_transitions"))
        .isEqualTo(2);
  }

  @Test
  void of_two_sessions_that_make_the_same_move_one_gets_it() {
    Dag.Task task = Dag.of("a").submitted();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(move(first, task, "pending", "initializing", "{}")).isTrue();
      Sql.Later<Boolean> waiting = second
          .later(session -> move(session, task, "pending", "initializing", "{}")).untilItWaits();
      first.commit();
      assertThat(waiting.get()).isFalse();
    }
    assertThatTask(task).went("initializing");
  }

  @Test
  void a_move_that_is_not_in_the_rules_or_not_for_this_actor_is_refused() {
    Dag.Task task = Dag.of("a").submitted();
    assertThatDatabaseRefuses("TK005", () -> move(sql, task, "pending", "complete", "{}"))
        .hasMessageContaining("from pending to complete by orchestrator");
    assertThatDatabaseRefuses("TK005",
        () -> move(sql, task, "pending", "initializing", "{\"actor\": \"worker\"}"));
  }

  @Test
  void a_word_that_is_no_state_is_refused() {
    Dag.Task task = Dag.of("a").submitted();
    assertThatDatabaseRefuses("TK007", () -> move(sql, task, "pending", "finished", "{}"));
    assertThatDatabaseRefuses("TK007", () -> move(sql, task, null, "pending", "{}"));
    assertThatDatabaseRefuses("TK007",
        () -> move(sql, task, "pending", "initializing", "{\"actor\": \"boss\"}"));
  }

  @Test
  void a_task_with_steps_left_cannot_be_complete() {
    Dag.Task task = Dag.of("a").submitted();
    move(sql, task, "pending", "initializing", "{}");
    move(sql, task, "initializing", "enqueuing_steps", "{}");
    move(sql, task, "enqueuing_steps", "steps_in_process", "{}");
    move(sql, task, "steps_in_process", "evaluating_results", "{}");
    assertThatDatabaseRefuses("TK005",
        () -> move(sql, task, "evaluating_results", "complete", "{}"))
        .hasMessageContaining("some of its steps are not complete");
    assertThatTask(task).isIn("evaluating_results");
  }

  @Test
  void an_operator_fails_restarts_or_closes_a_blocked_task() {
    Dag.Task task = Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().permanentFailure());
    }
    assertThat(move(sql, task, "blocked_by_failures", "error", "{\"actor\": \"operator\"}"))
        .isTrue();
    assertThatTask(task).isIn("error").hasNoWakeUp();
    assertThat(move(sql, task, "error", "evaluating_results", "{\"actor\": \"operator\"}"))
        .isTrue();
    assertThatTask(task).isIn("evaluating_results").isLookedAtAbout(Instant.now().plusSeconds(30));
    assertThat(move(sql, task, "evaluating_results", "blocked_by_failures", "{}")).isTrue();
    assertThatTask(task).hasNoWakeUp().hasOpenDeadLetter("permanent_failure");
    assertThat(
        move(sql, task, "blocked_by_failures", "resolved_manually", "{\"actor\": \"operator\"}"))
        .isTrue();
    assertThatTask(task).isIn("resolved_manually").hasNoWakeUp();
  }

  @Test
  void a_failed_task_can_be_closed_by_an_operator() {
    Dag.Task task = Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().permanentFailure());
    }
    move(sql, task, "blocked_by_failures", "error", "{\"actor\": \"operator\"}");
    assertThat(move(sql, task, "error", "resolved_manually", "{\"actor\": \"operator\"}")).isTrue();
  }

  @Test
  void a_task_whose_context_does_not_fit_ends_in_error() {
    Dag.Task task = Dag.of("a").withInputSchema().submitted();
    assertThat(move(sql, task, "pending", "error", "{}")).isTrue();
    assertThatTask(task).isIn("error").hasNoWakeUp();
  }

  @Test
  void a_task_is_not_cancelled_unless_that_was_asked_for_nor_said_to_be_blocked_or_to_wait_for_what_is_not_there() {
    Dag.Task task = Dag.of("a").submitted();
    assertThatDatabaseRefuses("TK005", () -> move(sql, task, "pending", "cancelled", "{}"))
        .hasMessageContaining("request_cancel");
    for (String[] step : new String[][]{{"pending", "initializing"},
      {"initializing", "waiting_for_dependencies"},
      {"waiting_for_dependencies", "evaluating_results"}}) {
      assertThat(move(sql, task, step[0], step[1], "{}")).isTrue();
    }
    for (String to : new String[]{"cancelled", "blocked_by_failures", "waiting_for_retry"}) {
      assertThatDatabaseRefuses("TK005", () -> move(sql, task, "evaluating_results", to, "{}"))
          .hasMessageContaining(to);
    }
    assertThatTask(task).isIn("evaluating_results");
  }
}
