package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
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
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"calculate_staleness_threshold", "is_served", "get_task_staleness",
  "get_task_snapshot", "create_dlq_entry",
  "create_dlq_entries",
  "fail_stale_task", "detect_and_transition_stale_tasks", "send_task_to_dlq", "update_dlq_entry",
  "close_settled_dlq_entries",
  "get_dlq_documents", "get_dlq_statistics", "calculate_investigation_rank",
  "get_dlq_investigation_queue", "get_staleness"})
class HandleStaleTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Instant start = Instant.now();

  /** The fallback poller runs the given number of minutes from now; every task is due. */
  private JsonObject advanceAfter(int minutes) {
    Instant then = start.plus(Duration.ofMinutes(minutes));
    sql.run("update tasker.task_wakeups set wake_at = least(wake_at, ?)", then);
    JsonObject answer = worker.at(then).advance();
    worker.at(null);
    return answer;
  }

  private void aServerServes(String... namespaces) {
    sql.run(
        "insert into tasker.workers (worker_uuid, name, served_version, capacity, lease_expires_at, heartbeat_seconds, namespaces) values (gen_random_uuid(), 's', 0, 0, now() + interval '2 hours', 3600, ?)",
        java.util.List.of(namespaces));
  }

  private String deadLetter(Dag.Task task) {
    return sql.text(
        "select concat_ws(' ', dlq_reason, original_state, resolution_status) from tasker.tasks_dlq where task_uuid = ?",
        task.uuid());
  }

  @Test
  void a_retry_is_late_when_it_was_due_half_an_hour_ago_and_not_when_it_is_months_ahead() {
    Dag.Task task = Dag.of("a").continueOnError().started();
    worker.complete(worker.claimOne().retryableFailure(2_000_000_000));
    advanceAfter(10_000);
    assertThat(deadLetter(task)).isNull();
    assertThat(sql.text("select health_status from tasker.v_task_staleness_monitoring"))
        .isEqualTo("healthy");
    sql.text("select tasker.pause_templates('orders', ?, null, 'ann', 'so that nothing moves')",
        task.template().name());
    advanceAfter(40_000);
    assertThat(deadLetter(task)).as("a pause is no failure").isNull();
    sql.text("select tasker.resume_templates('orders', ?, null, 'ann', 'enough')",
        task.template().name());
  }

  @Test
  void an_offer_that_no_server_would_take_is_investigated_and_the_task_stays() {
    Dag.Task task = Dag.of("a").started();
    advanceAfter(29);
    assertThat(deadLetter(task)).isNull();
    advanceAfter(31);
    assertThat(deadLetter(task)).isEqualTo("worker_unavailable steps_in_process pending");
    assertThatTask(task).isIn("steps_in_process");
    advanceAfter(60);
    assertThat(sql.number("select count(*) from tasker.tasks_dlq")).isEqualTo(1);
    JsonObject entry = sql
        .object("select tasker.get_dlq_documents('{\"resolution_status\": \"pending\"}')")
        .getJsonArray("entries")
        .getJsonObject(0);
    assertThat(entry.getJsonObject("task_snapshot").getJsonArray("steps").getJsonObject(0)
        .getString("state")).isEqualTo("enqueued");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThat(sql.number("select tasker.close_settled_dlq_entries()")).isEqualTo(1);
    assertThat(deadLetter(task)).isEqualTo("worker_unavailable steps_in_process manually_resolved");
  }

  @Test
  void a_long_queue_is_no_fault_unless_the_template_says_so() {
    aServerServes("orders");
    Dag.Task patient = Dag.of("a").started();
    Dag.Task hasty = Dag.of("a").lifecycle("max_steps_in_process_minutes", 20).started();
    advanceAfter(45);
    assertThat(deadLetter(patient)).isNull();
    assertThat(deadLetter(hasty)).isEqualTo("staleness_timeout steps_in_process pending");
  }

  @Test
  void a_task_that_is_to_fail_does_and_a_late_result_is_refused() {
    Dag dag = Dag.of("a").step("b").step("c").dependsOn("a").lifecycle("max_duration_minutes", 50)
        .lifecycle("auto_fail_on_timeout", true);
    Dag.Task task = dag.started();
    Claim running = worker.claimOne();
    keepLease(running);
    JsonObject reply = advanceAfter(51);
    assertThat(reply.getJsonArray("ended").getJsonObject(0).getString("state")).isEqualTo("error");
    assertThatTask(task).isIn("error").hasNoWakeUp().counts(3, 0, 2, 0);
    assertThat(deadLetter(task)).isEqualTo("staleness_timeout steps_in_process pending");
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("the offered step has no message any more").isZero();
    assertThat(worker.complete(running.success()).getJsonArray("refused")).hasSize(1);
    assertThatStep(running.step()).isIn("error");
    assertThat(worker.claim(10)).isEmpty();
    assertThat(sql.number("select tasker.close_settled_dlq_entries()"))
        .as("an operator has to investigate a failure").isZero();

    new Operator().task(task, "retry");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  private void keepLease(Claim claim) {
    sql.run("update tasker.workflow_steps set lease_expires_at = ? where workflow_step_uuid = ?",
        start.plus(Duration.ofHours(2)), claim.step());
  }

  private String compensation(Dag.Task task) {
    return sql.text("select state from tasker.task_compensations where task_uuid = ?", task.uuid());
  }

  /** It could never be compensated again. */
  @Test
  void a_task_that_is_being_compensated_or_cancelled_is_investigated_instead_of_failed() {
    Dag dag = Dag.of("a").compensatedBy("undo", 2).step("b").dependsOn("a").maxAttempts(1)
        .lifecycle("max_duration_minutes", 50).lifecycle("staleness_action", "error");
    Dag.Task compensated = dag.lifecycle("on_failure", "compensate").started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    Claim undo = worker.claimOne();
    keepLease(undo);
    Dag.Task cancelled = dag.started();
    Claim running = worker.claimOne();
    keepLease(running);
    sql.text("select tasker.request_cancel(?, 'me', 'why not', 'allow_finish', "
        + "p_compensate => true)", cancelled.uuid());

    assertThat(advanceAfter(51).getJsonArray("ended")).isEmpty();
    for (Dag.Task task : java.util.List.of(compensated, cancelled)) {
      assertThatTask(task).isIn("steps_in_process");
      assertThat(deadLetter(task)).isEqualTo("staleness_timeout steps_in_process pending");
    }
    worker.complete(undo.success());
    assertThatTask(compensated).isIn("error");
    worker.complete(running.success());
    worker.complete(worker.claimOne().success());
    assertThatTask(cancelled).isIn("cancelled");
    assertThat(compensation(compensated)).isEqualTo("compensated");
    assertThat(compensation(cancelled)).isEqualTo("compensated");
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_of_a_task_that_ends_in_the_same_round_is_not_given_to_the_server() {
    Dag dag = Dag.of("a").lifecycle("staleness_action", "error").lifecycle("max_duration_minutes",
        10);
    Dag.Task late = dag.submitted();
    Dag.Task inTime = Dag.of("a").submitted();
    Instant then = start.plus(Duration.ofMinutes(11));
    JsonObject reply = sql.object("select tasker.advance_due_tasks(?, 100, 10, 60, ?)",
        worker.uuid(), then);

    assertThatTask(late).isIn("error");
    assertThat(reply.getJsonArray("claimed_steps")).singleElement()
        .satisfies(step -> assertThat(step.asJsonObject().getString("task_uuid"))
            .isEqualTo(inTime.uuid().toString()));
  }

  @Test
  void what_happens_to_a_stale_task_is_what_its_template_says() {
    Dag.Task toError = Dag.of("a").lifecycle("staleness_action", "error").started();
    Dag.Task toBoth = Dag.of("a").lifecycle("staleness_action", "error")
        .lifecycle("auto_dlq_on_timeout", true).started();
    Dag.Task toNothing = Dag.of("a").lifecycle("staleness_action", "none").started();
    Dag.Task toLetter = Dag.of("a").lifecycle("staleness_action", "none")
        .lifecycle("auto_dlq_on_timeout", true).started();
    assertThat(sql.texts(
        "select action_taken from tasker.detect_and_transition_stale_tasks(true, 100, ?) order by 1",
        start.plus(Duration.ofMinutes(31))))
        .containsExactly("would_be_moved_to_dlq", "would_be_moved_to_dlq_and_error",
            "would_be_moved_to_error");
    assertThatTask(toError).isIn("steps_in_process");
    assertThat(sql.texts(
        "select action_taken from tasker.detect_and_transition_stale_tasks(false, 100, ?) order by 1",
        start.plus(Duration.ofMinutes(31))))
        .containsExactly("moved_to_dlq", "moved_to_dlq_and_error", "moved_to_error");
    assertThatTask(toError).isIn("error");
    assertThat(deadLetter(toError)).isNull();
    assertThatTask(toBoth).isIn("error");
    assertThat(deadLetter(toBoth)).startsWith("worker_unavailable");
    assertThatTask(toNothing).isIn("steps_in_process");
    assertThat(deadLetter(toNothing)).isNull();
    assertThatTask(toLetter).isIn("steps_in_process");
    assertThat(deadLetter(toLetter)).startsWith("worker_unavailable");
    assertThat(sql.rows("select * from tasker.detect_and_transition_stale_tasks(false, 100, ?)",
        start.plus(Duration.ofMinutes(32))))
        .isEmpty();
  }

  @Test
  void a_task_that_waits_long_is_evaluated_when_it_becomes_stale() {
    Dag.Task task = Dag.of("a").lifecycle("max_duration_minutes", 60).started();
    worker.complete(worker.claimOne().retryableFailure(2_000_000_000));
    assertThatTask(task).isLookedAtAbout(start.plus(Duration.ofMinutes(60)));
    worker.at(start.plus(Duration.ofMinutes(61))).advance();
    assertThat(deadLetter(task)).isEqualTo("staleness_timeout waiting_for_retry pending");
    assertThat(sql.isTrue("select wake_at > ? from tasker.task_wakeups",
        start.plus(Duration.ofMinutes(61)))).as("and not in a circle")
        .isTrue();
  }

  @Test
  void a_look_comes_no_later_than_the_limit() {
    Dag.Task task = Dag.of("a").lifecycle("max_steps_in_process_minutes", 33).started();
    advanceAfter(32);
    assertThatTask(task).isLookedAtAbout(start.plus(Duration.ofMinutes(33)));
  }

  @Test
  @DatabaseTest.BreaksPromises
  void steps_that_wait_for_each_other_are_found() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("b").started();
    worker.complete(worker.claimOne().success());
    Claim b = worker.claimOne();
    sql.run("insert into tasker.added_step_edges values (?, 3, 2)", task.uuid());
    sql.run(
        "update tasker.workflow_steps set state = 'pending', lease_expires_at = null, remaining_parents = 1, total_parents = 2 where workflow_step_uuid = ?",
        b.step());
    sql.run("update tasker.tasks set in_flight_steps = 0, state = 'waiting_for_dependencies'");
    advanceAfter(61);
    assertThat(deadLetter(task))
        .isEqualTo("dependency_cycle_detected waiting_for_dependencies pending");
    assertThat(sql.object("select tasker.get_dlq_investigation_queue()").getJsonArray("entries")
        .getJsonObject(0)
        .getJsonNumber("priority_score").doubleValue()).isGreaterThan(900);
    assertThat(sql.number(
        "select round(abs(priority_score * 60 - extract(epoch from clock_timestamp() - tasker.calculate_investigation_rank(dlq_reason, dlq_timestamp)))) from tasker.v_dlq_investigation_queue"))
        .as("view and order give the same points").isLessThanOrEqualTo(2);
  }

  @Test
  void a_task_that_is_not_started_fails_when_it_is_to() {
    Dag.Task task = Dag.of("a").withInputSchema().lifecycle("staleness_action", "error")
        .submitted();
    String detect = "select count(*) from tasker.detect_and_transition_stale_tasks(false, 100, ?)";
    assertThat(sql.number(detect, start.plus(Duration.ofMinutes(59)))).isZero();
    assertThat(sql.number(detect, start.plus(Duration.ofMinutes(61)))).isEqualTo(1);
    assertThatTask(task).isIn("error").went("error");
  }

  @Test
  void of_two_servers_one_writes_the_dead_letter() {
    Dag.of("a").started();
    Instant then = start.plus(Duration.ofMinutes(31));
    sql.run("update tasker.task_wakeups set wake_at = ?", then);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(SqlWorker.in(first).at(then).advance().getInt("tasks")).isEqualTo(1);
      assertThat(SqlWorker.in(second).at(then).advance().getInt("tasks")).isZero();
      first.commit();
    }
    assertThat(sql.number("select count(*) from tasker.tasks_dlq")).isEqualTo(1);
  }

  @Test
  void an_operator_opens_and_closes_a_dead_letter_and_the_task_continues() {
    Dag.Task task = Dag.of("a").started();
    String open = "select tasker.send_task_to_dlq(?, 'ann', 'smells') ->> ";
    UUID entry = sql.uuid(open + "'dlq_entry_uuid'", task.uuid());
    assertThat(sql.text(open + "'outcome'", task.uuid())).isEqualTo("already");
    assertThat(deadLetter(task)).isEqualTo("manual_dlq steps_in_process pending");
    worker.runToTheEnd();
    sql.text("select tasker.close_settled_dlq_entries()");
    assertThat(deadLetter(task)).isEqualTo("manual_dlq steps_in_process pending");
    String update = "select tasker.update_dlq_entry(?, ?, ?, 'was nothing', '{\"ticket\": 1}') ->> 'outcome'";
    assertThat(sql.text(update, entry, null, "ann")).isEqualTo("done");
    assertThat(sql.text(update, entry, "manually_resolved", "ann")).isEqualTo("done");
    assertThat(sql.text(update, entry, "manually_resolved", "ann")).isEqualTo("already");
    assertThat(sql.text(update, entry, "cancelled", "bob")).isEqualTo("refused");
    assertThatDatabaseRefuses("TK007", () -> sql.text(update, entry, "gone", "bob"));
    assertThat(sql.text("select metadata ->> 'ticket' from tasker.tasks_dlq")).isEqualTo("1");
    JsonObject statistics = sql.array("select tasker.get_dlq_statistics()").getJsonObject(0);
    assertThat(statistics.getInt("manually_resolved")).isEqualTo(1);
  }

  @Test
  void dead_letters_are_read_page_by_page() {
    worker.complete(0, startedAndClaimed(5));
    JsonObject page = sql
        .object("select tasker.get_dlq_documents('{\"dlq_reason\": \"permanent_failure\"}', 3)");
    assertThat(page.getJsonArray("entries")).hasSize(3);
    JsonObject rest = sql.object("select tasker.get_dlq_documents('{}', 3, ?::uuid)",
        page.getString("next"));
    assertThat(rest.getJsonArray("entries")).hasSize(2);
    assertThat(rest.isNull("next")).isTrue();
    assertThatStep(
        UUID.fromString(sql.text("select workflow_step_uuid from tasker.workflow_steps limit 1")))
        .isIn("error");
  }

  @Test
  void investigations_are_read_page_by_page_also_when_the_last_one_of_a_page_is_closed_in_the_meantime() {
    worker.complete(0, startedAndClaimed(5));
    sql.run(
        "update tasker.tasks_dlq set dlq_reason = 'manual_dlq' where dlq_entry_uuid in (select dlq_entry_uuid from tasker.tasks_dlq order by 1 limit 2)");
    java.util.List<String> all = entries(sql.object("select tasker.get_dlq_investigation_queue()"));
    JsonObject first = sql.object("select tasker.get_dlq_investigation_queue(2)");

    assertThat(all).hasSize(5);
    assertThat(entries(first)).isEqualTo(all.subList(0, 2));
    sql.text("select tasker.update_dlq_entry(?, 'manually_resolved', 'ann', 'was fine')",
        UUID.fromString(all.get(1)));
    JsonObject second = sql.object("select tasker.get_dlq_investigation_queue(2, ?::uuid)",
        first.getString("next"));
    JsonObject third = sql.object("select tasker.get_dlq_investigation_queue(2, ?::uuid)",
        second.getString("next"));
    assertThat(entries(second)).isEqualTo(all.subList(2, 4));
    assertThat(entries(third)).isEqualTo(all.subList(4, 5));
    assertThat(third.isNull("next")).isTrue();
    assertThat(first.getJsonArray("entries").getJsonObject(0).keySet())
        .contains("namespace", "name", "state").doesNotContain("place");
  }

  @Test
  void late_tasks_are_read_page_by_page() {
    Dag.of("a").lifecycle("max_duration_minutes", 5).started(5);
    // Three are late at one time, two at another.
    sql.run("update tasker.tasks set created_at = ?", start);
    sql.run(
        "update tasker.tasks set created_at = created_at - interval '1 minute' where task_uuid in (select task_uuid from tasker.tasks order by 1 desc limit 2)");
    java.util.List<String> seen = new java.util.ArrayList<>();
    String next = null;
    for (int page = 1; page <= 3; page++) {
      JsonObject answer = sql.object("select tasker.get_staleness(2, ?)", next);
      answer.getJsonArray("tasks").getValuesAs(JsonObject.class)
          .forEach(task -> seen.add(task.getString("task_uuid")));
      next = answer.getString("next", null);
    }

    assertThat(next).isNull();
    assertThat(seen).doesNotHaveDuplicates().hasSize(5);
    assertThat(sql.texts(
        "select task_uuid::text from tasker.v_task_staleness_monitoring order by stale_at, task_uuid"))
        .isEqualTo(seen);
  }

  private static java.util.List<String> entries(JsonObject page) {
    return page.getJsonArray("entries").getValuesAs(JsonObject.class).stream()
        .map(entry -> entry.getString("dlq_entry_uuid")).toList();
  }

  private java.util.List<SqlWorker.Result> startedAndClaimed(int count) {
    Dag.of("a").started(count);
    return worker.claim(count).stream().map(Claim::permanentFailure).toList();
  }
}
