package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TestDatabase;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

@DatabaseTest
@DatabaseTest.Covers({"begin_compensations", "wants_compensation", "end_compensation",
  "register_compensations",
  "find_compensation_violations", "get_compensation_document", "format_compensation_name",
  "is_undoable", "get_undo_inputs"})
class CompensationTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator operator = new Operator();

  /** charge → ship → tell, of which the last has nothing to undo. */
  private static Dag order() {
    return Dag.of("charge").compensatedBy("refund", 2).step("ship").dependsOn("charge")
        .compensatedBy("recall", 2)
        .step("tell").dependsOn("ship").maxAttempts(1);
  }

  private String state(Dag.Task task) {
    return sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid());
  }

  private String compensation(Dag.Task task) {
    return sql.text(
        "select cause || ' ' || state || ' ' || coalesce(planned_steps::text, '-') from tasker.task_compensations where task_uuid = ?",
        task.uuid());
  }

  private String name(Claim claim) {
    return sql.text(
        "select coalesce(s.name, n.name) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
            + "where s.workflow_step_uuid = ?",
        claim.step());
  }

  private Claim next(String step) {
    Claim claim = worker.claimOne();
    assertThat(name(claim)).isEqualTo(step);
    return claim;
  }

  private void succeed(String... steps) {
    for (String step : steps) {
      worker.complete(next(step).success("{\"of\": \"" + step + "\"}"));
    }
  }

  private void fail(String step) {
    worker.complete(next(step).permanentFailure());
  }

  @Test
  void a_failure_compensates_what_was_done_last_first_and_the_task_ends_as_error() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    succeed("charge", "ship");
    fail("tell");

    assertThat(state(task)).isEqualTo("steps_in_process");
    assertThat(compensation(task)).isEqualTo("failure running 2");
    assertThat(sql.number("select count(*) from tasker.tasks_dlq")).as("dead letters").isZero();
    Claim recall = next("ship:compensation");
    assertThat(recall.claimedStep().getJsonObject("inputs").toString())
        .contains("\"compensates\":\"ship\"", "\"of\":\"ship\"");
    assertThat(worker.claim(9)).as("nothing beside it").isEmpty();
    worker.complete(recall.success());
    assertThatHistoryIsSound();
    succeed("charge:compensation");

    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThat(worker.claim(9)).isEmpty();
    assertThatHistoryIsSound();
  }

  @Test
  void servers_hear_of_the_first_steps_of_a_compensation_at_once() throws SQLException {
    order().lifecycle("on_failure", "compensate").started();
    succeed("charge", "ship");
    try (Connection listener = TestDatabase.get().connect();
        Statement listen = listener.createStatement()) {
      listen.execute("listen tasker_wakeup");
      fail("tell");
      PGNotification[] heard = listener.unwrap(PGConnection.class).getNotifications(5000);
      assertThat(heard).as("and the sender itself does").extracting(PGNotification::getParameter)
          .containsExactly("steps ");
      succeed("ship:compensation", "charge:compensation");
    }
  }

  @Test
  void the_document_says_how_it_goes_and_which_effects_are_not_known() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    assertThat(sql.text("select tasker.get_compensation_document(?)::text", task.uuid())).isNull();
    succeed("charge");
    fail("ship");

    JsonObject running = sql.object("select tasker.get_compensation_document(?)", task.uuid());
    assertThat(running.getString("cause")).isEqualTo("failure");
    assertThat(running.getString("state")).isEqualTo("running");
    assertThat(running.getInt("planned_steps")).isEqualTo(1);
    assertThat(running.getInt("completed_steps")).isZero();
    assertThat(running.getJsonArray("unknown_steps").getString(0))
        .as("it ran, and may have had its effect").isEqualTo("ship");
    succeed("charge:compensation");
    JsonObject ended = sql.array("select tasker.get_task_documents(array[?])", task.uuid())
        .getJsonObject(0).getJsonObject("compensation");
    assertThat(ended.getString("state")).isEqualTo("compensated");
    assertThat(ended.getInt("completed_steps")).isEqualTo(1);
    assertThat(ended)
        .isEqualTo(sql.object("select tasker.get_compensation_document(?)", task.uuid()));
  }

  @Test
  void branches_are_compensated_in_parallel_and_what_they_follow_from_after_both() {
    Dag.Task task = Dag.of("a").compensatedBy("undo", 1).step("b").dependsOn("a")
        .compensatedBy("undo", 1)
        // Without a compensation of its own: what is before it still waits for what is after it.
        .step("c").dependsOn("a").step("d").dependsOn("c").compensatedBy("undo", 1).step("e")
        .dependsOn("b", "d").maxAttempts(1)
        .lifecycle("on_failure", "compensate").started();
    succeed("a");
    worker.claim(9).forEach(claim -> worker.complete(claim.success()));
    succeed("d");
    fail("e");

    List<Claim> first = worker.claim(9);
    assertThat(first).extracting(this::name).containsExactlyInAnyOrder("b:compensation",
        "d:compensation");
    worker.complete(first.get(0).success());
    assertThat(worker.claim(9)).isEmpty();
    worker.complete(first.get(1).success());
    succeed("a:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 3");
    assertThatHistoryIsSound();
  }

  @Test
  void steps_in_flight_end_before_the_compensation_begins_and_are_compensated_too() {
    Dag.Task task = Dag.of("a").compensatedBy("undo", 1).step("b").maxAttempts(1).step("c")
        .dependsOn("a")
        .lifecycle("on_failure", "compensate").started();
    List<Claim> both = worker.claim(9);
    Claim a = both.stream().filter(claim -> name(claim).equals("a")).findFirst().orElseThrow();
    worker.complete(both.stream().filter(claim -> name(claim).equals("b")).findFirst().orElseThrow()
        .permanentFailure());
    assertThat(compensation(task)).isNull();
    assertThat(worker.claim(9)).isEmpty();

    worker.complete(a.success());
    assertThat(compensation(task)).isEqualTo("failure running 1");
    assertThat(sql.text("select state from tasker.workflow_steps where workflow_step_uuid = ?",
        task.step("c"))).isEqualTo("cancelled");
    succeed("a:compensation");
    assertThat(state(task)).isEqualTo("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_has_done_nothing_ends_at_once() {
    Dag.Task task = Dag.of("a").maxAttempts(1).compensatedBy("undo", 1)
        .lifecycle("on_failure", "compensate").started();
    fail("a");
    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("failure compensated 0");
    assertThatHistoryIsSound();
  }

  @Test
  void a_compensation_that_fails_blocks_the_task_with_a_dead_letter_until_an_operator_has_it_run_again() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    succeed("charge", "ship");
    fail("tell");
    fail("ship:compensation");

    assertThat(state(task)).isEqualTo("blocked_by_failures");
    assertThat(compensation(task)).isEqualTo("failure running 2");
    assertThat(
        sql.number("select count(*) from tasker.tasks_dlq where resolution_status = 'pending'"))
        .isOne();
    assertThat(operator.step(task, "tell", "reset_for_retry").getString("code"))
        .isEqualTo("step-not-movable");
    assertThat(operator
        .task(task.uuid(), "retry_from_step", "{\"step\": \"charge\", \"rerun_completed\": true}")
        .getString("code"))
        .isEqualTo("step-not-movable");
    assertThat(operator.task(task, "retry").getInt("steps")).isOne();
    succeed("ship:compensation", "charge:compensation");

    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThat(operator.task(task, "retry").getString("code")).isEqualTo("task-already-ended");
    assertThatHistoryIsSound();
  }

  @Test
  void a_compensation_is_retried() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    succeed("charge");
    fail("ship");
    worker.complete(next("charge:compensation").retryableFailure(1));
    assertThat(state(task)).isEqualTo("waiting_for_retry");
    sql.run("update tasker.task_wakeups set wake_at = now()");
    sql.run("select pg_sleep(0.01)");
    worker.advance();
    succeed("charge:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 1");
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @ValueSource(strings = {"resolve", "fail"})
  void a_task_that_an_operator_ends_is_not_compensated_whole(String action) {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    succeed("charge");
    fail("ship");
    fail("charge:compensation");
    operator.task(task, action);
    assertThat(compensation(task)).isEqualTo("failure incomplete 1");
    assertThatHistoryIsSound();
  }

  @Test
  void a_compensation_that_an_operator_resolves_ends_the_task_but_not_as_compensated() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    succeed("charge");
    fail("ship");
    fail("charge:compensation");
    UUID undo = UUID.fromString(sql.text(
        "select workflow_step_uuid from tasker.workflow_steps where compensates_step_uuid is not null"));
    sql.object("select tasker.act_on_step(?, ?, 'resolve_manually', 'ann', 'paid back by hand')",
        task.uuid(), undo);
    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("failure incomplete 1");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_with_compensate_waits_for_what_runs_and_does_not_stop_what_it_asked_for() {
    Dag.Task task = order().started();
    succeed("charge");
    Claim ship = next("ship");
    assertThat(sql.text(
        "select tasker.request_cancel(?, 'ann', 'changed her mind', p_compensate => true) ->> 'outcome'",
        task.uuid()))
        .isEqualTo("requested");
    assertThat(compensation(task)).isEqualTo("cancel asked -");
    assertThatHistoryIsSound();
    worker.complete(ship.success());

    assertThat(compensation(task)).isEqualTo("cancel running 2");
    Claim recall = next("ship:compensation");
    assertThat(recall.claimedStep().getBoolean("cancel_requested")).isFalse();
    assertThat(sql.text(
        "select tasker.request_cancel(?, 'ann', 'again', p_compensate => true) ->> 'outcome'",
        task.uuid()))
        .isEqualTo("already_requested");
    worker.complete(recall.success());
    succeed("charge:compensation");

    assertThat(state(task)).isEqualTo("cancelled");
    assertThat(compensation(task)).isEqualTo("cancel compensated 2");
    assertThat(sql.text(
        "select cancel_requested_by || cancel_reason from tasker.tasks where task_uuid = ?",
        task.uuid()))
        .isEqualTo("annchanged her mind");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_without_compensate_compensates_nothing_unless_a_second_one_asks() {
    Dag.Task plain = order().lifecycle("on_failure", "compensate").started();
    succeed("charge");
    sql.object("select tasker.request_cancel(?, 'ann', 'no')", plain.uuid());
    assertThat(state(plain)).as("its step ship was offered only").isEqualTo("cancelled");
    assertThat(compensation(plain)).isNull();

    Dag.Task task = order().started();
    succeed("charge");
    Claim ship = next("ship");
    sql.object("select tasker.request_cancel(?, 'ann', 'no')", task.uuid());
    sql.object("select tasker.request_cancel(?, 'bob', 'and undo', p_compensate => true)",
        task.uuid());
    worker.complete(ship.cancelled());
    assertThat(compensation(task)).isEqualTo("cancel running 1");
    succeed("charge:compensation");
    assertThat(state(task)).isEqualTo("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void an_operator_compensates_a_blocked_task_once() {
    Dag.Task task = order().started();
    succeed("charge");
    fail("ship");
    assertThat(operator.task(task, "compensate").getInt("steps")).isOne();
    assertThat(operator.task(task, "compensate").getString("outcome")).isEqualTo("already");
    assertThat(sql.text("select tasker.request_cancel(?, 'ann', 'stop') ->> 'code'", task.uuid()))
        .isEqualTo("task-is-being-cancelled");
    succeed("charge:compensation");
    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("operator compensated 1");
    assertThat(operator.task(task, "compensate").getString("outcome")).isEqualTo("already");
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_that_an_operator_resolved_is_not_undone_and_one_completed_by_hand_is() {
    Dag.Task task = Dag.of("a").maxAttempts(1).compensatedBy("undo", 1).step("b").maxAttempts(1)
        .compensatedBy("undo", 1).step("c")
        .dependsOn("a", "b").maxAttempts(1)
        .started();
    worker.claim(9).forEach(claim -> worker.complete(claim.permanentFailure()));
    operator.step(task, "a", "resolve_manually");
    operator.step(task, "b", "complete_manually", "{\"result\": {\"by\": \"hand\"}}");
    fail("c");
    operator.task(task, "compensate");
    assertThat(next("b:compensation").claimedStep().getJsonObject("inputs").getJsonObject("result")
        .getString("by")).isEqualTo("hand");
    assertThatHistoryIsSound();
  }

  @Test
  void templates_without_compensation_are_refused_and_wrong_ones_not_registered() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    assertThat(
        sql.text("select tasker.request_cancel(?, 'ann', 'x', p_compensate => true) ->> 'field'",
            task.uuid()))
        .isEqualTo("compensate");
    assertThat(
        sql.text("select cancel_requested_at from tasker.tasks where task_uuid = ?", task.uuid()))
        .isNull();
    fail("a");
    assertThat(operator.task(task, "compensate").getString("code")).isEqualTo("invalid-request");
    assertThatThrownBy(
        () -> Dag.of("a").waiting("{\"compensation\": {\"handler\": {}}}").registered())
        .hasMessageContaining("compensation of step a");
    assertThatThrownBy(
        () -> Dag.of("a")
            .waiting(
                "{\"compensation\": {\"when\": \"never\", \"handler\": {\"callable\": \"undo\"}}}")
            .registered())
        .hasMessageContaining("compensation.when of step a");
  }

  /** open → load × N → close, each with a compensation. */
  private static Dag rows(String config, String when) {
    String compensation = "{\"compensation\": {\"when\": \"" + when
        + "\", \"handler\": {\"callable\": \"undo\"}, "
        + "\"retry\": {\"max_attempts\": 1}}}";
    return Dag.of("open").compensatedBy("undo", 1).batchable().step("load").dependsOn("open")
        .batchWorker(config).maxAttempts(1)
        .waiting(compensation).step("close").dependsOn("load").maxAttempts(1).waiting(compensation)
        .lifecycle("on_failure", "compensate");
  }

  private String batch(Dag.Task task) {
    return sql.text(
        "select concat_ws(' ', total_workers, created_workers, in_flight_workers, done_workers, failed_workers, "
            + "case when closed_at is null then 'open' else 'closed' end) from tasker.batches b join tasker.workflow_steps s using (workflow_step_uuid) "
            + "where b.task_uuid = ? and s.compensates_step_uuid is not null",
        task.uuid());
  }

  private void all(int count, java.util.function.Function<Claim, SqlWorker.Result> result) {
    List<Claim> claims = worker.claim(100);
    assertThat(claims).hasSize(count);
    claims.forEach(claim -> worker.complete(result.apply(claim)));
  }

  @Test
  void the_workers_of_a_batch_are_undone_as_many_at_once_as_they_ran_and_before_what_made_the_batch() {
    Dag.Task task = rows("{\"parallelism\": 2}", "complete").started();
    worker.complete(next("open").batches(5));
    for (int i = 1; i <= 5; i++) {
      Claim row = worker.claimOne();
      worker.complete(i == 3 ? row.permanentFailure() : row.success("{\"row\": " + i + "}"));
    }
    fail("close");

    assertThat(compensation(task)).isEqualTo("failure running 2");
    assertThat(batch(task)).isEqualTo("4 2 2 0 0 open");
    assertThatHistoryIsSound();
    List<Claim> two = worker.claim(100);
    assertThat(two).extracting(this::name).containsExactly("load_001:compensation",
        "load_002:compensation");
    assertThat(two.get(0).claimedStep().getJsonObject("inputs").toString())
        .contains("\"compensates\":\"load_001\"", "\"completed\":true", "\"result\":{\"row\":1}",
            "\"cursor\":1", "\"batch_id\":\"001\"");
    worker.complete(two.get(0).success());
    assertThat(batch(task)).isEqualTo("4 3 2 1 0 open");
    worker.complete(two.get(1).success());
    all(2, Claim::success);
    assertThat(batch(task)).isEqualTo("4 4 0 4 0 closed");
    succeed("open:compensation");

    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThatHistoryIsSound();
  }

  @Test
  void a_batch_that_fails_is_undone_as_far_as_it_came() {
    Dag.Task task = rows("{\"parallelism\": 3, \"failure_strategy\": \"fail_fast\"}", "complete")
        .started();
    worker.complete(next("open").batches(9));
    List<Claim> three = worker.claim(100);
    worker.complete(three.get(0).success());
    worker.complete(three.get(1).permanentFailure());
    List<Claim> offered = worker.claim(100);
    offered.forEach(claim -> worker.complete(claim.success()));
    worker.complete(three.get(2).success());

    assertThat(compensation(task)).isEqualTo("failure running 2");
    assertThat(batch(task)).startsWith((2 + offered.size()) + " ");
    assertThatHistoryIsSound();
    for (List<Claim> claims = worker.claim(100); !claims.isEmpty(); claims = worker.claim(100)) {
      claims.forEach(claim -> worker.complete(claim.success()));
    }
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThatHistoryIsSound();
  }

  @Test
  void an_undo_of_a_worker_that_fails_blocks_the_task_when_the_others_are_done_and_runs_again() {
    Dag.Task task = rows("{\"parallelism\": 1}", "complete").started();
    worker.complete(next("open").batches(3));
    succeed("load_001", "load_002", "load_003");
    fail("close");
    fail("load_001:compensation");
    assertThat(state(task)).isEqualTo("steps_in_process");
    fail("load_002:compensation");
    succeed("load_003:compensation");

    assertThat(state(task)).isEqualTo("blocked_by_failures");
    assertThat(batch(task)).isEqualTo("3 3 0 1 2 open");
    assertThatHistoryIsSound();
    operator.step(task, "load_002:compensation", "reset_for_retry");
    succeed("load_002:compensation");
    assertThat(state(task)).isEqualTo("blocked_by_failures");
    assertThat(operator.task(task, "retry").getString("outcome")).isEqualTo("done");
    succeed("load_001:compensation", "open:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_in_the_middle_of_a_batch_undoes_the_workers_that_are_complete() {
    Dag.Task task = rows("{\"parallelism\": 2}", "complete").started();
    worker.complete(next("open").batches(6));
    worker.complete(worker.claimOne().success());
    worker.claimOne();
    List<Claim> running = List.of(worker.claimOne());
    assertThat(operator.task(task, "compensate").getString("outcome")).isEqualTo("done");
    assertThat(operator.task(task, "compensate").getString("outcome")).isEqualTo("already");
    sql.object("select tasker.request_cancel(?, 'ann', 'x', p_compensate => true)", task.uuid());
    running.forEach(claim -> worker.complete(claim.success()));
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = now() - interval '1 hour' where state = 'in_progress'");
    sql.run(
        "update tasker.tasks set cancel_force_at = now() - interval '1 hour' where cancel_force_at is not null");
    sql.run("update tasker.task_wakeups set wake_at = now()");
    worker.advance();

    assertThat(compensation(task)).isEqualTo("cancel running 2");
    assertThat(batch(task)).startsWith("2 2 2 ");
    all(2, Claim::success);
    succeed("open:compensation");
    assertThat(state(task)).isEqualTo("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_batch_of_which_no_worker_is_complete_has_no_undo() {
    Dag.Task task = rows("{}", "complete").started();
    worker.complete(next("open").batches(0));
    fail("close");
    assertThat(compensation(task)).isEqualTo("failure running 1");
    succeed("open:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 1");
    assertThatHistoryIsSound();
  }

  @Test
  void what_ran_and_is_not_complete_is_undone_where_the_template_says_attempted() {
    Dag.Task task = rows("{}", "attempted").started();
    worker.complete(next("open").batches(2));
    worker.complete(next("load_001").permanentFailure());
    succeed("load_002");
    fail("close");

    assertThat(compensation(task)).isEqualTo("failure running 3");
    assertThat(sql.object("select tasker.get_compensation_document(?)", task.uuid())
        .getJsonArray("unknown_steps")).isEmpty();
    Claim close = next("close:compensation");
    assertThat(close.claimedStep().getJsonObject("inputs").toString())
        .contains("\"completed\":false", "\"result\":null");
    worker.complete(close.success());
    List<Claim> rows = worker.claim(100);
    assertThat(rows).extracting(this::name).containsExactly("load_001:compensation",
        "load_002:compensation");
    rows.forEach(claim -> worker.complete(claim.success()));
    succeed("open:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 3");
    assertThatHistoryIsSound();
  }

  @Test
  void a_failed_undo_does_not_stop_branches_that_are_independent_of_it() {
    Dag.Task task = Dag.of("a").compensatedBy("undo", 1).step("a2").dependsOn("a")
        .compensatedBy("undo", 1).step("b")
        .compensatedBy("undo", 1)
        .step("b2").dependsOn("b").compensatedBy("undo", 1).step("end").dependsOn("a2", "b2")
        .maxAttempts(1)
        .lifecycle("on_failure", "compensate").started();
    all(2, Claim::success);
    all(2, Claim::success);
    fail("end");
    for (Claim undo : worker.claim(100)) {
      worker.complete(name(undo).startsWith("a2") ? undo.permanentFailure() : undo.success());
    }

    succeed("b:compensation");
    assertThat(state(task)).isEqualTo("blocked_by_failures");
    assertThatHistoryIsSound();
    operator.task(task, "retry");
    succeed("a2:compensation", "a:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 4");
    assertThatHistoryIsSound();
  }

  @Test
  void compensate_cancels_a_task_that_runs_and_is_refused_once_it_has_ended() {
    Dag.Task running = order().started();
    succeed("charge");
    Claim ship = next("ship");
    assertThat(operator.task(running, "compensate").getString("outcome")).isEqualTo("done");
    assertThat(compensation(running)).isEqualTo("cancel asked -");
    assertThat(sql.text("select acted_by || ' ' || action from tasker.operator_actions"))
        .isEqualTo("ann cancel");
    worker.complete(ship.cancelled());
    succeed("charge:compensation");
    assertThat(state(running)).isEqualTo("cancelled");

    Dag.Task complete = order().started();
    succeed("charge", "ship", "tell");
    JsonObject refusal = operator.task(complete, "compensate");
    assertThat(refusal.getString("code")).isEqualTo("task-already-ended");
    assertThat(refusal.getString("message")).contains("submit a task that undoes it");
    assertThatHistoryIsSound();
  }

  @Test
  void many_tasks_are_compensated_at_once_and_those_without_compensation_are_left_out() {
    List<Dag.Task> tasks = order().started(2);
    Dag.Task plain = Dag.of("x").started();
    worker.claim(100).stream().filter(claim -> !claim.task().equals(plain.uuid()))
        .forEach(claim -> worker.complete(claim.success()));
    JsonObject dry = sql.object(
        "select tasker.preview_bulk_action('compensate', '{\"namespace\": \"orders\"}', 'ann', 'recall')");
    assertThat(dry.getInt("count")).isEqualTo(2);
    JsonObject ran = sql.object("select tasker.run_bulk_action(?)",
        UUID.fromString(dry.getString("token")));
    assertThat(ran.getJsonObject("results").getInt("done")).isEqualTo(2);
    assertThat(tasks)
        .allSatisfy(task -> assertThat(compensation(task)).isEqualTo("cancel running 1"));
    assertThat(state(plain)).isEqualTo("steps_in_process");
    assertThatHistoryIsSound();
  }
}
