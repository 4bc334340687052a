package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
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
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/**
 * {@code lifecycle.max_duration}: tasks that the engine ends because they have run for too long.
 */
@DatabaseTest
class TimeOutTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Dag limited(Dag dag, String duration) {
    return dag.lifecycle("max_duration", duration);
  }

  private Instant limit(Dag.Task task) {
    return sql.instant(
        "select (d ->> 'times_out_at')::timestamptz from tasker.get_task_documents(array[?]) x, json_array_elements(x) d",
        task.uuid());
  }

  private Instant wakeUp(Dag.Task task) {
    return sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid());
  }

  private JsonObject document(Dag.Task task) {
    return sql.array("select tasker.get_task_documents(array[?])", task.uuid()).getJsonObject(0);
  }

  private JsonObject advanceAt(Instant time) {
    try (SqlWorker poller = SqlWorker.open()) {
      return poller.at(time).advance();
    }
  }

  @Test
  void a_task_in_process_fails_at_its_limit_and_not_before_and_late_results_are_refused() {
    Dag.Task task = limited(Dag.of("a").step("b").step("c").dependsOn("a"), "PT10S").started();
    Claim running = worker.claimOne();
    Instant limit = limit(task);
    assertThat(wakeUp(task)).as("sooner than any other wake-up would be").isEqualTo(limit);

    assertThat(advanceAt(limit.minusMillis(1)).getInt("tasks")).isZero();
    assertThatTask(task).isIn("steps_in_process");
    JsonObject reply = advanceAt(limit);

    assertThat(reply.getJsonArray("ended").getJsonObject(0).getString("state")).isEqualTo("error");
    assertThatTask(task).isIn("error").hasNoWakeUp().counts(3, 0, 2, 0);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("the offered step has no message any more").isZero();
    assertThat(worker.complete(running.success()).getJsonArray("refused")).hasSize(1);
    assertThatStep(running.step()).isIn("error");
    assertThat(
        sql.object(
            "select tasker.renew_leases(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'handoff', 1)), 60, now())",
            running.step()).getJsonArray("lost"))
        .as("the worker is told").hasSize(1);
    assertThat(sql.texts(
        "select distinct error ->> 'type' from tasker.workflow_step_result_audit where task_uuid = ?",
        task.uuid()))
        .containsExactly("task_timed_out");
    assertThat(sql.text(
        "select metadata ->> 'reason' from tasker.task_transitions where task_uuid = ? order by sort_key desc limit 1",
        task.uuid())).isEqualTo("task_timed_out");
    assertThat(document(task).getString("explanation"))
        .isEqualTo(
            "The task exceeded lifecycle.max_duration, PT10S, of its template and was failed: task_timed_out.");
    assertThat(document(task).isNull("timed_out_at")).isFalse();
    assertThat(advanceAt(limit.plusSeconds(60)).getInt("tasks")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_an_operator_restarts_after_its_time_out_has_no_limit_any_more() {
    Dag.Task task = limited(Dag.of("a"), "PT10S").started();
    advanceAt(limit(task));
    assertThatTask(task).isIn("error");

    new Operator().task(task, "retry");
    advanceAt(Instant.now().plus(1, ChronoUnit.HOURS));
    assertThatTask(task).isIn("steps_in_process");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThat(document(task).isNull("explanation")).isTrue();
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_waits_is_ended_and_its_wait_with_it() {
    Dag.Task task = limited(
        Dag.of("a").step("w").dependsOn("a").waitingOnly("{\"signal\": {\"name\": \"paid\"}}"),
        "PT3H").started();
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("waiting_for_dependencies");
    Instant limit = limit(task);
    assertThat(wakeUp(task)).isEqualTo(limit);

    advanceAt(limit);
    assertThatTask(task).isIn("error").hasNoWakeUp();
    assertThat(sql.text("select state from tasker.step_waits where task_uuid = ?", task.uuid()))
        .isEqualTo("cancelled");
    assertThat(document(task).getString("explanation")).contains("PT3H");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_waits_for_its_retry_or_in_a_paused_template_is_ended_too() {
    Dag.Task retrying = limited(Dag.of("a"), "PT1H").started();
    worker.complete(worker.claimOne().retryableFailure(2_000_000_000));
    assertThat(wakeUp(retrying)).isEqualTo(limit(retrying));
    Dag.Task paused = limited(Dag.of("a").step("b").dependsOn("a"), "PT1H").started();
    Claim last = worker.claimOne();
    new Operator().pause(paused.template().namespace(), paused.template().name());
    worker.complete(last.success());
    assertThat(wakeUp(paused)).isBeforeOrEqualTo(limit(paused));

    advanceAt(limit(paused));
    assertThatTask(retrying).isIn("error");
    assertThatTask(paused).isIn("error");
    assertThatHistoryIsSound();
  }

  @Test
  void on_timeout_cancel_requests_the_cancel_with_the_reason() {
    Dag.Task running = limited(Dag.of("a").step("b").dependsOn("a"), "PT30S")
        .lifecycle("on_timeout", "cancel").started();
    Claim claim = worker.claimOne();
    Dag.Task offered = limited(Dag.of("a"), "PT30S").lifecycle("on_timeout", "cancel").started();
    Instant limit = limit(offered);
    JsonObject reply = advanceAt(limit);

    assertThatTask(offered).isIn("cancelled").hasNoWakeUp();
    assertThat(reply.getJsonArray("ended").getJsonObject(0).getString("state"))
        .isEqualTo("cancelled");
    assertThatTask(running).isIn("steps_in_process");
    JsonObject request = document(running).getJsonObject("cancel_request");
    assertThat(request.getString("by")).isEqualTo("tasker");
    assertThat(request.getString("reason")).isEqualTo(
        "task_timed_out: the task exceeded lifecycle.max_duration, PT30S, of its template");
    assertThat(request.getString("policy")).isEqualTo("cancel_running");
    worker.complete(claim.success());
    assertThatTask(running).isIn("cancelled");
    assertThat(document(offered).getString("explanation"))
        .endsWith("was cancelled: task_timed_out.");
    assertThatHistoryIsSound();
  }

  @Test
  void the_limit_counts_from_a_delayed_start_and_from_the_creation_when_that_is_later() {
    Instant start = Instant.now().plus(2, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);
    Dag.Task delayed = limited(Dag.of("a"), "PT1H").option("start_at", start.toString()).started();
    assertThat(limit(delayed)).isEqualTo(start.plus(Duration.ofHours(1)));
    advanceAt(start);
    assertThatTask(delayed).isIn("steps_in_process");
    assertThat(wakeUp(delayed)).isBeforeOrEqualTo(limit(delayed));

    Dag.Task past = limited(Dag.of("a"), "PT1H").option("start_at", "2001-01-01T00:00:00Z")
        .started();
    advanceAt(Instant.now().plusSeconds(40));
    assertThatTask(past).isIn("steps_in_process");
    advanceAt(start.plus(Duration.ofHours(1)));
    assertThatTask(delayed).isIn("error");
    assertThatTask(past).isIn("error");
  }

  @Test
  void a_blocked_task_waits_for_its_operator_and_has_its_limit_again_when_it_goes_on() {
    Dag.Task task = limited(Dag.of("a"), "PT10S").started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures").hasNoWakeUp();
    sql.object("select tasker.process_tasks(array[?], null, 0, 60, 300, 86400, 5, ?)", task.uuid(),
        limit(task).plusSeconds(60));
    assertThatTask(task).isIn("blocked_by_failures");

    new Operator().step(task, "a", "reset_for_retry");
    advanceAt(limit(task).plusSeconds(120));
    assertThatTask(task).isIn("error");
    assertThat(document(task).getString("explanation")).endsWith("task_timed_out.");
  }

  @Test
  void a_result_that_was_submitted_before_the_time_out_counts() {
    Dag.Task task = limited(Dag.of("a"), "PT10S").started();
    worker.submitResults(worker.claimOne().success());
    advanceAt(limit(task).plusSeconds(1));
    assertThatTask(task).isIn("complete");
    assertThat(document(task).isNull("timed_out_at")).isTrue();
    assertThatHistoryIsSound();
  }

  @Test
  void on_timeout_compensate_undoes_what_was_done_and_that_has_no_limit() {
    Dag.Task task = limited(
        Dag.of("charge").compensatedBy("refund", 2).step("ship").dependsOn("charge"), "PT30S")
        .lifecycle("on_timeout", "compensate").started();
    worker.complete(worker.claimOne().success());
    Instant limit = limit(task);

    advanceAt(limit);

    assertThatTask(task).isIn("steps_in_process");
    assertThat(
        sql.text("select cause || ' ' || state from tasker.task_compensations where task_uuid = ?",
            task.uuid()))
        .isEqualTo("cancel running");
    assertThatHistoryIsSound();
    advanceAt(limit.plus(1, ChronoUnit.DAYS));
    assertThatTask(task).isIn("steps_in_process");
    worker.at(limit.plus(1, ChronoUnit.DAYS)).runToTheEnd();
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
    assertThat(
        sql.text("select state from tasker.task_compensations where task_uuid = ?", task.uuid()))
        .isEqualTo("compensated");
    assertThat(document(task).getString("explanation")).contains("task_timed_out");
  }

  @Test
  void on_timeout_compensate_of_a_template_without_compensation_is_a_cancel() {
    Dag.Task task = limited(Dag.of("a"), "PT30S").lifecycle("on_timeout", "compensate").started();

    advanceAt(limit(task));

    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
  }

  @Test
  void a_child_task_that_a_step_waits_for_is_told_to_cancel() {
    Dag.Template child = Dag.of("x").registered();
    Dag.Task parent = limited(Dag.of("a").step("sub").dependsOn("a").waitingOnly(
        "{\"task\": {\"namespace\": \"" + child.namespace() + "\", \"name\": \"" + child.name()
            + "\"}}"),
        "PT1H").started();
    worker.complete(worker.claimOne().success());
    Instant limit = limit(parent);
    advanceAt(limit);
    assertThatTask(parent).isIn("error");
    advanceAt(limit);
    assertThat(sql.text("select state from tasker.tasks where parent_task_uuid = ?", parent.uuid()))
        .isEqualTo("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_result_and_the_time_out_are_ordered_by_the_lock_of_the_task() {
    Dag.Task first = limited(Dag.of("a"), "PT10S").started();
    Claim last = worker.claimOne();
    Instant limit = limit(first);
    try (Sql completing = Sql.session()) {
      SqlWorker.in(completing).complete(last.success());
      assertThat(advanceAt(limit).getInt("tasks")).as("the poller waits for no lock").isZero();
      completing.commit();
    }
    advanceAt(limit);
    assertThatTask(first).isIn("complete");

    Dag.Task second = limited(Dag.of("a"), "PT10S").started();
    Claim late = worker.claimOne();
    try (Sql polling = Sql.session(); Sql completing = Sql.session()) {
      SqlWorker.in(polling).at(limit(second)).advance();
      Sql.Later<JsonObject> waiting = completing
          .later(s -> SqlWorker.in(s).complete(late.success())).untilItWaits();
      polling.commit();
      assertThat(waiting.get().getJsonArray("refused")).hasSize(1);
      completing.commit();
    }
    assertThatTask(second).isIn("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_is_being_cancelled_ends_by_that() {
    Dag.Task task = limited(Dag.of("a"), "PT10S").started();
    Claim claim = worker.claimOne();
    sql.object("select tasker.request_cancel(?, 'ann', 'not needed', 'allow_finish')", task.uuid());
    advanceAt(limit(task));
    assertThatTask(task).isIn("steps_in_process");
    worker.complete(claim.success());
    assertThatTask(task).isIn("cancelled");
    assertThat(document(task).isNull("timed_out_at")).isTrue();
  }
}
