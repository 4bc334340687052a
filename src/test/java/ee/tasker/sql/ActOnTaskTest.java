package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import org.junit.jupiter.api.Test;

@DatabaseTest
class ActOnTaskTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();

  private Dag.Task blocked() {
    Dag.Task task = Dag.linear(2).maxAttempts(1).started();
    worker.complete(worker.claimOne().permanentFailure());
    return task;
  }

  private String deadLetter(Dag.Task task) {
    return sql.text(
        "select concat_ws(' ', resolution_status, resolved_by, resolution_notes) from tasker.tasks_dlq where task_uuid = ? order by dlq_entry_uuid desc limit 1",
        task.uuid());
  }

  @Test
  void a_retried_task_starts_everything_again_that_failed_or_waits() {
    Dag.Task task = Dag.parallel(3).started();
    var claims = worker.claim(3);
    worker.complete(claims.get(0).permanentFailure(), claims.get(1).retryableFailure(3_600_000),
        claims.get(2).success());
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 1);
    JsonObject done = ann.task(task, "retry");
    assertThat(done.getInt("steps")).isEqualTo(2);
    assertThatTask(task).isIn("steps_in_process").counts(2, 2, 0, 0);
    assertThat(ann.task(task, "retry").getString("outcome")).isEqualTo("already");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThat(ann.task(task, "retry").getString("code")).isEqualTo("task-already-ended");
  }

  @Test
  void a_context_is_replaced_while_nothing_is_in_flight_and_what_it_was_is_kept() {
    Dag.Task task = Dag.parallel(2).context("{\"card\": \"bad\"}").started();
    Claim failing = worker.claimOne();
    worker.complete(failing.permanentFailure());
    Claim running = worker.claimOne();
    assertThat(ann.task(task, "retry", "{\"context\": {\"card\": \"good\"}}").getString("code"))
        .isEqualTo("steps-in-flight");
    worker.complete(running.success());
    assertThat(ann.task(task, "retry", "{\"context\": {\"card\": \"good\"}}").getString("outcome"))
        .isEqualTo("done");
    assertThat(worker.claimOne().claimedStep().getJsonObject("context").getString("card"))
        .isEqualTo("good");
    assertThat(sql.text(
        "select details #>> '{before,context,card}' from tasker.operator_actions where task_uuid = ?",
        task.uuid()))
        .isEqualTo("bad");
  }

  @Test
  void the_life_of_a_failed_order_is_one_story_in_sql() {
    Dag.Task task = Dag.linear(2).context("{\"card\": \"bad\"}").maxAttempts(1).started();
    worker.complete(worker.claimOne().permanentFailure());
    try (Sql session = Sql.session()) {
      session.text("select tasker.set_caller('token:support')");
      session.text(
          "select tasker.act_on_task(?, 'retry', 'ann', 'the card was wrong', '{\"context\": {\"card\": \"good\"}}')",
          task.uuid());
      session.commit();
    }
    worker.runToTheEnd();

    assertThat(sql.texts(
        "select concat_ws(' ', e ->> 'kind', e ->> 'step', coalesce(e ->> 'to_state', e ->> 'outcome'), e ->> 'by', e ->> 'claimed_actor', e #>> '{details,context,card}') "
            + "from jsonb_array_elements(tasker.get_task_history(?)) with ordinality as s(e, n) order by n",
        task.uuid())).containsSubsequence(
            "step s1 in_progress", "result s1 permanent_failure", "step s1 error",
            "dead_letter_opened", "task blocked_by_failures",
            "action token:support ann good", "step s1 pending",
            "dead_letter_closed", "result s1 success", "step s1 complete", "step s2 complete",
            "task complete");
  }

  @Test
  void a_task_is_failed_and_restarted() {
    Dag.Task task = blocked();
    assertThat(ann.task(task, "fail").getString("state")).isEqualTo("error");
    assertThatTask(task).isIn("error").hasNoWakeUp();
    assertThat(deadLetter(task)).isEqualTo("permanently_failed ann the other side has fixed it");
    assertThat(ann.task(task, "fail").getString("outcome")).isEqualTo("already");
    assertThat(ann.task(task, "retry").getString("state")).isEqualTo("steps_in_process");
    assertThatTask(task).went("initializing", "enqueuing_steps", "steps_in_process",
        "evaluating_results", "blocked_by_failures", "error",
        "evaluating_results", "enqueuing_steps", "steps_in_process");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_blocked_task_or_one_in_error_is_closed_permanently() {
    Dag.Task task = blocked();
    assertThat(ann.task(task, "resolve").getString("state")).isEqualTo("resolved_manually");
    assertThat(deadLetter(task)).isEqualTo("manually_resolved ann the other side has fixed it");
    assertThat(ann.task(task, "resolve").getString("outcome")).isEqualTo("already");
    assertThat(ann.task(task, "retry").getString("code")).isEqualTo("task-already-ended");
    Dag.Task given = blocked();
    ann.task(given, "fail");
    assertThat(ann.task(given, "resolve").getString("state")).isEqualTo("resolved_manually");
    Dag.Task running = Dag.of("a").started();
    assertThat(ann.task(running, "resolve").getString("code")).isEqualTo("task-not-blocked");
    assertThat(ann.task(running, "fail").getString("code")).isEqualTo("task-not-blocked");
    assertThat(ann.task(running, "retry").getString("code")).isEqualTo("nothing-to-retry");
  }

  @Test
  void a_cancel_is_written_down_with_who_and_why() {
    Dag.Task task = Dag.of("a").started();
    assertThat(ann.task(task, "cancel").getString("state")).isEqualTo("cancelled");
    assertThat(ann.task(task, "cancel").getString("outcome")).isEqualTo("already");
    assertThat(sql.texts(
        "select concat_ws(' ', action, acted_by) from tasker.operator_actions where task_uuid = ?",
        task.uuid()))
        .containsExactly("cancel ann");
    Dag.Task done = Dag.of("a").started();
    worker.runToTheEnd();
    assertThat(ann.task(done, "cancel").getString("code")).isEqualTo("task-already-ended");
  }

  @Test
  void a_task_whose_context_did_not_fit_is_started_with_another_one() {
    Dag.Task task = Dag.of("a").withInputSchema().submitted();
    sql.text("select tasker.start_validated_tasks(?, null)",
        "[{\"task_uuid\": \"" + task.uuid() + "\", \"violations\": [{\"field\": \"context\"}]}]");
    assertThatTask(task).isIn("error");
    assertThat(ann.task(task, "retry").getString("message")).contains("give another one");
    assertThat(ann.task(task, "retry", "{\"context\": {\"x\": 1}}").getString("state"))
        .isEqualTo("steps_in_process");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  /** a → b → d, a → c → e; b failed permanently, everything else is done. */
  private Dag.Task halfway() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("a").step("d")
        .dependsOn("b").step("e").dependsOn("c")
        .continueOnError().started();
    worker.complete(worker.claimOne().success("{\"run\": 1}"));
    for (Claim claim : worker.claim(2)) {
      worker.complete(
          claim.step().equals(task.step("b")) ? claim.permanentFailure() : claim.success());
    }
    worker.runToTheEnd();
    assertThatTask(task).isIn("blocked_by_failures");
    return task;
  }

  @Test
  void a_retry_from_a_failed_step_leaves_what_is_done() {
    Dag.Task task = halfway();
    JsonObject done = ann.task(task, "retry_from_step", "{\"step\": \"b\"}");
    assertThat(done.getInt("steps")).isEqualTo(1);
    assertThat(worker.runToTheEnd()).hasSize(2);
    assertThatTask(task).isIn("complete");
    assertThatStep(task.step("c")).hasAttempts(1);
  }

  @Test
  void a_step_that_is_done_is_run_again_only_when_asked_for_and_then_all_that_depends_on_it() {
    Dag.Task task = halfway();
    JsonObject refused = ann.task(task, "retry_from_step", "{\"step\": \"a\"}");
    assertThat(refused.getString("code")).isEqualTo("step-already-done");
    assertThat(refused.getString("field")).isEqualTo("rerun_completed");
    JsonObject done = ann.task(task, "retry_from_step",
        "{\"step\": \"" + task.step("a") + "\", \"rerun_completed\": true}");
    assertThat(done.getInt("steps")).isEqualTo(4);
    assertThatTask(task).isIn("steps_in_process").counts(5, 1, 0, 0);
    worker.complete(worker.claimOne().success("{\"run\": 2}"));
    assertThat(worker.claim(1).stream().peek(c -> worker.complete(c.success())).toList().get(0)
        .claimedStep().getJsonObject("results")
        .getJsonObject("a").getInt("run")).isEqualTo(2);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThatStep(task.step("e")).hasAttempts(2);
  }

  @Test
  void a_retry_from_a_step_waits_for_what_runs_below_it() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().success());
    assertThat(ann.task(task, "retry_from_step", "{\"step\": \"a\", \"rerun_completed\": true}")
        .getString("code"))
        .isEqualTo("steps-in-flight");
    JsonObject unknown = ann.task(task, "retry_from_step", "{\"step\": \"z\"}");
    assertThat(unknown.getString("field")).isEqualTo("step");
  }

  @Test
  void data_that_cannot_be_are_refused_by_name_and_change_nothing() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(ann.task(task, "retry", "[]").getString("field")).isEqualTo("data");
    assertThat(ann.task(task, "retry", "{\"context\": null}").getString("field"))
        .isEqualTo("context");
    assertThat(ann.task(task, "retry_from_step", "{\"step\": \"a\", \"rerun_completed\": \"yes\"}")
        .getString("field"))
        .isEqualTo("rerun_completed");
    assertThat(ann.task(task, "retry_from_step", null).getString("field")).isEqualTo("step");
    assertThatDatabaseRefuses("TK007", () -> ann.task(task, "cancel", "{\"policy\": \"softly\"}"))
        .hasMessageContaining("allow_finish or cancel_running");
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(
        sql.number("select count(*) from tasker.operator_actions where task_uuid = ?", task.uuid()))
        .isZero();
    assertThat(ann.task(task, "retry", null).getString("outcome")).as("retry needs no data")
        .isEqualTo("done");
  }
}
