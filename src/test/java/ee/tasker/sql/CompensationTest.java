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
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DatabaseTest
@DatabaseTest.Covers({"begin_compensations", "wants_compensation", "end_compensation", "register_compensations",
  "find_compensation_violations", "get_compensation_document"})
class CompensationTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator operator = new Operator();

  /** charge → ship → tell, of which the last has nothing to undo. */
  private static Dag order() {
    return Dag.of("charge").compensatedBy("refund", 2).step("ship").dependsOn("charge").compensatedBy("recall", 2)
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
    return sql.text("select coalesce(s.name, n.name) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
        + "where s.workflow_step_uuid = ?", claim.step());
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
    assertThat(recall.claimedStep().getJsonObject("inputs").toString()).contains("\"compensates\":\"ship\"", "\"of\":\"ship\"");
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
    assertThat(running.getJsonArray("unknown_steps").getString(0)).as("it ran, and may have had its effect").isEqualTo("ship");
    succeed("charge:compensation");
    JsonObject ended = sql.array("select tasker.get_task_documents(array[?])", task.uuid()).getJsonObject(0).getJsonObject("compensation");
    assertThat(ended.getString("state")).isEqualTo("compensated");
    assertThat(ended.getInt("completed_steps")).isEqualTo(1);
    assertThat(ended).isEqualTo(sql.object("select tasker.get_compensation_document(?)", task.uuid()));
  }

  @Test
  void branches_are_compensated_in_parallel_and_what_they_follow_from_after_both() {
    Dag.Task task = Dag.of("a").compensatedBy("undo", 1).step("b").dependsOn("a").compensatedBy("undo", 1)
        // Without a compensation of its own: what is before it still waits for what is after it.
        .step("c").dependsOn("a").step("d").dependsOn("c").compensatedBy("undo", 1).step("e").dependsOn("b", "d").maxAttempts(1)
        .lifecycle("on_failure", "compensate").started();
    succeed("a");
    worker.claim(9).forEach(claim -> worker.complete(claim.success()));
    succeed("d");
    fail("e");

    List<Claim> first = worker.claim(9);
    assertThat(first).extracting(this::name).containsExactlyInAnyOrder("b:compensation", "d:compensation");
    worker.complete(first.get(0).success());
    assertThat(worker.claim(9)).isEmpty();
    worker.complete(first.get(1).success());
    succeed("a:compensation");
    assertThat(compensation(task)).isEqualTo("failure compensated 3");
    assertThatHistoryIsSound();
  }

  @Test
  void steps_in_flight_end_before_the_compensation_begins_and_are_compensated_too() {
    Dag.Task task = Dag.of("a").compensatedBy("undo", 1).step("b").maxAttempts(1).step("c").dependsOn("a")
        .lifecycle("on_failure", "compensate").started();
    List<Claim> both = worker.claim(9);
    Claim a = both.stream().filter(claim -> name(claim).equals("a")).findFirst().orElseThrow();
    worker.complete(both.stream().filter(claim -> name(claim).equals("b")).findFirst().orElseThrow().permanentFailure());
    assertThat(compensation(task)).isNull();
    assertThat(worker.claim(9)).isEmpty();

    worker.complete(a.success());
    assertThat(compensation(task)).isEqualTo("failure running 1");
    assertThat(sql.text("select state from tasker.workflow_steps where workflow_step_uuid = ?", task.step("c"))).isEqualTo("cancelled");
    succeed("a:compensation");
    assertThat(state(task)).isEqualTo("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_has_done_nothing_ends_at_once() {
    Dag.Task task = Dag.of("a").maxAttempts(1).compensatedBy("undo", 1).lifecycle("on_failure", "compensate").started();
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
    assertThat(sql.number("select count(*) from tasker.tasks_dlq where resolution_status = 'pending'")).isOne();
    assertThat(operator.step(task, "tell", "reset_for_retry").getString("code")).isEqualTo("step-not-movable");
    assertThat(operator.task(task.uuid(), "retry_from_step", "{\"step\": \"charge\", \"rerun_completed\": true}").getString("code"))
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
    UUID undo = UUID.fromString(sql.text("select workflow_step_uuid from tasker.workflow_steps where compensates_step_uuid is not null"));
    sql.object("select tasker.act_on_step(?, ?, 'resolve_manually', 'ann', 'paid back by hand')", task.uuid(), undo);
    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("failure incomplete 1");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_with_compensate_waits_for_what_runs_and_does_not_stop_what_it_asked_for() {
    Dag.Task task = order().started();
    succeed("charge");
    Claim ship = next("ship");
    assertThat(sql.text("select tasker.request_cancel(?, 'ann', 'changed her mind', p_compensate => true) ->> 'outcome'", task.uuid()))
        .isEqualTo("requested");
    assertThat(compensation(task)).isEqualTo("cancel asked -");
    assertThatHistoryIsSound();
    worker.complete(ship.success());

    assertThat(compensation(task)).isEqualTo("cancel running 2");
    Claim recall = next("ship:compensation");
    assertThat(recall.claimedStep().getBoolean("cancel_requested")).isFalse();
    assertThat(sql.text("select tasker.request_cancel(?, 'ann', 'again', p_compensate => true) ->> 'outcome'", task.uuid()))
        .isEqualTo("already_requested");
    worker.complete(recall.success());
    succeed("charge:compensation");

    assertThat(state(task)).isEqualTo("cancelled");
    assertThat(compensation(task)).isEqualTo("cancel compensated 2");
    assertThat(sql.text("select cancel_requested_by || cancel_reason from tasker.tasks where task_uuid = ?", task.uuid()))
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
    sql.object("select tasker.request_cancel(?, 'bob', 'and undo', p_compensate => true)", task.uuid());
    worker.complete(ship.cancelled());
    assertThat(compensation(task)).isEqualTo("cancel running 1");
    succeed("charge:compensation");
    assertThat(state(task)).isEqualTo("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void an_operator_compensates_a_blocked_task_once() {
    Dag.Task task = order().started();
    assertThat(operator.task(task, "compensate").getString("code")).isEqualTo("task-not-blocked");
    succeed("charge");
    fail("ship");
    assertThat(operator.task(task, "compensate").getInt("steps")).isOne();
    assertThat(operator.task(task, "compensate").getString("outcome")).isEqualTo("already");
    assertThat(sql.text("select tasker.request_cancel(?, 'ann', 'stop') ->> 'code'", task.uuid())).isEqualTo("task-is-being-cancelled");
    succeed("charge:compensation");
    assertThat(state(task)).isEqualTo("error");
    assertThat(compensation(task)).isEqualTo("operator compensated 1");
    assertThat(operator.task(task, "compensate").getString("outcome")).isEqualTo("already");
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_that_an_operator_resolved_is_not_undone_and_one_completed_by_hand_is() {
    Dag.Task task = Dag.of("a").maxAttempts(1).compensatedBy("undo", 1).step("b").maxAttempts(1).compensatedBy("undo", 1).step("c")
        .dependsOn("a", "b").maxAttempts(1)
        .started();
    worker.claim(9).forEach(claim -> worker.complete(claim.permanentFailure()));
    operator.step(task, "a", "resolve_manually");
    operator.step(task, "b", "complete_manually", "{\"result\": {\"by\": \"hand\"}}");
    fail("c");
    operator.task(task, "compensate");
    assertThat(next("b:compensation").claimedStep().getJsonObject("inputs").getJsonObject("result").getString("by")).isEqualTo("hand");
    assertThatHistoryIsSound();
  }

  @Test
  void templates_without_compensation_are_refused_and_wrong_ones_not_registered() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    assertThat(sql.text("select tasker.request_cancel(?, 'ann', 'x', p_compensate => true) ->> 'field'", task.uuid()))
        .isEqualTo("compensate");
    assertThat(sql.text("select cancel_requested_at from tasker.tasks where task_uuid = ?", task.uuid())).isNull();
    fail("a");
    assertThat(operator.task(task, "compensate").getString("code")).isEqualTo("invalid-request");
    assertThatThrownBy(() -> Dag.of("a").waiting("{\"compensation\": {\"handler\": {}}}").registered())
        .hasMessageContaining("compensation of step a");
    assertThatThrownBy(
        () -> Dag.of("a").compensatedBy("undo", 1).step("b").batchable().step("w").dependsOn("b").batchWorker("{}").registered())
        .hasMessageContaining("with batches");
  }
}
