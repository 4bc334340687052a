package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"submit_results", "settle_steps", "advance_tasks", "release_children",
  "enqueue_steps", "roll_up_task_states",
  "count_failures", "create_dlq_entries", "get_refusals", "lock_tasks", "task_path",
  "process_step_results", "may_be_retried"})
class CompleteStepsTest {

  @org.junit.jupiter.params.ParameterizedTest
  @org.junit.jupiter.params.provider.ValueSource(
      strings = {"null", "{}", "7", "[{}]", "[null]",
        "[{'step_uuid': 'S', 'task_uuid': 'T', 'handoff': 1}]",
        "[{'step_uuid': 'S', 'task_uuid': 'T', 'handoff': 1, 'outcome': null}]",
        "[{'step_uuid': 'S', 'task_uuid': 'T', 'handoff': 1, 'outcome': 'done'}]",
        "[{'step_uuid': 'S', 'handoff': 1, 'outcome': 'success'}]",
        "[{'step_uuid': 'S', 'task_uuid': 'T', 'outcome': 'success'}]"})
  void result_that_lacks_what_it_is_of_or_its_outcome_is_refused_by_name_and_changes_nothing(
      String results) {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    String json = results.replace("'", "\"").replace("\"S\"", '"' + task.step("a").toString() + '"')
        .replace("\"T\"",
            '"' + task.uuid().toString() + '"');

    ee.tasker.testing.TaskerAssertions
        .assertThatDatabaseRefuses("TK007",
            () -> sql.text("select tasker.complete_steps(?::jsonb, ?)::text", json, worker.uuid()))
        .hasMessageContaining("outcome");
    ee.tasker.testing.TaskerAssertions
        .assertThatDatabaseRefuses("TK007",
            () -> sql.text("select tasker.complete_steps(null, null)::text"))
        .hasMessageContaining("outcome");

    worker.complete(claim.success());
    assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
        .isEqualTo("complete");
  }
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void a_success_releases_the_child_in_the_same_transaction() {
    Dag.Task task = Dag.linear(2).started();
    JsonObject answer = worker.complete(worker.claimOne().success());

    assertThat(answer.getJsonArray("refused")).isEmpty();
    assertThat(answer.getJsonArray("queued").getString(0)).isEqualTo("orders");
    assertThatStep(task.step("s1")).isIn("complete").went("pending", "enqueued", "in_progress",
        "enqueued_for_orchestration", "complete");
    assertThatStep(task.step("s2")).isIn("enqueued").waitsForParents(0);
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0);
  }

  @Test
  void a_caller_with_available_permits_gets_the_successor_in_the_same_call() {
    Dag.Task task = Dag.linear(2).started();
    JsonObject answer = worker.complete(1, List.of(worker.claimOne().success("{\"x\": 1}")));

    List<Claim> next = SqlWorker.claims(answer.getJsonArray("claimed_steps"));
    assertThat(next).extracting(Claim::step).containsExactly(task.step("s2"));
    assertThat(next.get(0).claimedStep().getJsonObject("results").getJsonObject("s1").getInt("x"))
        .isEqualTo(1);
    assertThatStep(task.step("s2")).isClaimedBy(worker).went("pending", "enqueued", "in_progress");
  }

  @Test
  void the_last_success_completes_the_task_and_says_so() {
    Dag.Task task = Dag.of("a").started();
    JsonObject answer = worker.complete(worker.claimOne().success());

    assertThat(answer.getJsonArray("ended").getJsonObject(0).getString("state"))
        .isEqualTo("complete");
    assertThatTask(task).isIn("complete").hasNoWakeUp();
  }

  @Test
  void the_same_result_twice_is_already_known() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    worker.complete(claim.success());

    assertThat(verdict(worker.complete(claim.success()))).isEqualTo("ALREADY");
  }

  @Test
  void the_same_result_twice_in_one_batch_is_accepted_once_and_refused_once() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();

    assertThat(verdict(worker.complete(claim.success(), claim.success()))).isEqualTo("ALREADY");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_stale_attempt_beside_the_current_one_in_a_batch_is_refused() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();

    assertThat(verdict(worker.complete(claim.asHandoff(7).success(), claim.success())))
        .isEqualTo("STALE");
  }

  @Test
  void a_stale_result_beside_an_accepted_failure_is_distinguished() {
    Dag.of("a").step("b").started();
    List<Claim> claims = worker.claim(2);

    assertThat(verdict(
        worker.complete(claims.get(0).retryableFailure(), claims.get(1).asHandoff(7).success())))
        .isEqualTo("STALE");
  }

  @Test
  void an_attempt_that_is_not_the_current_one_changes_nothing() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();

    assertThat(verdict(worker.complete(claim.asHandoff(0).success()))).isEqualTo("STALE");
    assertThat(verdict(worker.complete(claim.asHandoff(2).success()))).isEqualTo("STALE");
    assertThatStep(task.step("a")).isClaimedBy(worker);
  }

  @Test
  void a_step_that_is_not_there_is_unknown() {
    assertThat(verdict(
        worker.complete(new Claim(UUID.randomUUID(), UUID.randomUUID(), 1, null).success())))
        .isEqualTo("UNKNOWN");
  }

  @Test
  void an_unclaimed_step_cannot_be_completed() {
    Dag.Task task = Dag.of("a").started();
    assertThat(verdict(worker.complete(new Claim(task.step("a"), task.uuid(), 1, null).success())))
        .isEqualTo("STALE");
    assertThatStep(task.step("a")).isIn("enqueued");
  }

  @Test
  void a_worker_whose_lease_ran_out_and_whose_step_runs_again_is_stale() {
    Dag.Task task = Dag.of("a").started();
    Claim zombie = worker.claimOne();
    try (SqlWorker other = SqlWorker.open()) {
      other.at(Instant.now().plusSeconds(61)).advance();
      Claim again = other.claimOne();
      assertThat(again.attempt()).isEqualTo(2);

      assertThat(verdict(worker.complete(zombie.success("{\"from\": \"zombie\"}"))))
          .isEqualTo("STALE");
      assertThatStep(task.step("a")).isClaimedBy(other);
      other.complete(again.success());
    }
    assertThat(verdict(worker.complete(zombie.success()))).isEqualTo("STALE");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void two_parents_that_are_completed_at_the_same_time_release_their_child_once() {
    Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("a", "b").started();
    List<Claim> parents = worker.claim(2);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      SqlWorker.in(first).complete(parents.get(0).success());
      Sql.Later<JsonObject> waiting = second
          .later(session -> SqlWorker.in(session).complete(parents.get(1).success()))
          .untilItWaits();
      assertThatStep(task.step("c")).isIn("pending").waitsForParents(2);
      first.commit();
      waiting.get();
      second.commit();
    }
    assertThatStep(task.step("c")).isIn("enqueued").hasAttempts(1).waitsForParents(0);
    assertThat(worker.claim(10)).hasSize(1);
  }

  @Test
  void a_caller_gets_all_children_of_its_step_that_it_has_permits_for_and_the_others_are_offered() {
    Dag.Task task = Dag.fanOut(3).started();
    JsonObject answer = worker.complete(2, List.of(worker.claimOne().success()));
    assertThat(answer.getJsonArray("claimed_steps")).hasSize(2);
    assertThat(worker.claim(10)).hasSize(1);
    assertThatTask(task).counts(4, 3, 0, 0);
  }

  @Test
  void a_fan_in_counts_its_parents_down_and_starts_with_the_last_one() {
    Dag.Task task = Dag.fanOut(5).started();
    worker.complete(worker.claimOne().success());
    assertThatTask(task).counts(6, 5, 0, 0);
    List<Claim> middle = worker.claim(10);
    assertThat(middle).hasSize(5);
    worker.complete(0, middle.subList(0, 3).stream().map(Claim::success).toList());
    assertThatStep(task.step("end")).isIn("pending").waitsForParents(2);
    worker.complete(0, middle.subList(3, 5).stream().map(Claim::success).toList());
    assertThatStep(task.step("end")).isIn("enqueued");
  }

  @Test
  void a_retryable_failure_waits_for_its_retry_and_the_task_with_it() {
    Dag.Task task = Dag.of("a").backoff("linear", 20_000, 60_000).started();
    worker.complete(worker.claimOne().retryableFailure());

    assertThatStep(task.step("a")).isIn("waiting_for_retry").hasAttempts(1);
    assertThatTask(task).isIn("waiting_for_retry").counts(1, 0, 0, 1);
    try (Sql sql = Sql.open()) {
      Instant due = sql.instant("select next_retry_at from tasker.workflow_steps");
      assertThat(Duration.between(Instant.now(), due).toMillis()).isBetween(15_000L, 23_100L);
      assertThatTask(task).isLookedAtAbout(due);
    }
  }

  @Test
  void a_delay_that_the_other_side_asked_for_wins_over_the_backoff() {
    Dag.Task task = Dag.of("a").backoff("exponential", 1000, 5000).started();
    worker.complete(worker.claimOne().retryableFailure(3_600_000));

    assertThatStep(task.step("a")).isDueAbout(Instant.now().plusSeconds(3600));
    assertThatTask(task).isLookedAtAbout(Instant.now().plusSeconds(3600));
  }

  @Test
  void backoff_none_is_due_at_once() {
    Dag.Task task = Dag.of("a").backoff("none", 1000, 5000).started();
    worker.complete(worker.claimOne().retryableFailure());
    assertThatStep(task.step("a")).isDueAbout(Instant.now());
  }

  @Test
  void max_attempts_counts_all_attempts() {
    Dag.Task task = Dag.of("a").maxAttempts(3).started();
    for (int attempt = 1; attempt <= 3; attempt++) {
      Claim claim = worker.claimOne();
      assertThat(claim.attempt()).isEqualTo(attempt);
      worker.complete(claim.retryableFailure(0));
      worker.advance();
    }
    assertThatStep(task.step("a")).isIn("error").hasAttempts(3);
    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("max_retries_exceeded");
  }

  @Test
  void max_attempts_of_zero_and_one_allow_the_first_attempt_and_no_other() {
    for (int max = 0; max <= 1; max++) {
      Dag.Task task = Dag.of("a").maxAttempts(max).started();
      worker.complete(worker.claimOne().retryableFailure());
      assertThatStep(task.step("a")).isIn("error").hasAttempts(1);
    }
  }

  @Test
  void a_step_that_is_not_retryable_is_tried_once() {
    Dag.Task task = Dag.of("a").notRetryable().maxAttempts(5).started();
    worker.complete(worker.claimOne().retryableFailure());
    assertThatStep(task.step("a")).isIn("error").hasAttempts(1);
  }

  @Test
  void a_permanent_failure_blocks_the_task_and_opens_a_dead_letter() {
    Dag.Task task = Dag.linear(3).started();
    JsonObject answer = worker.complete(worker.claimOne().permanentFailure());

    assertThat(answer.getJsonArray("ended").getJsonObject(0).getString("state"))
        .isEqualTo("blocked_by_failures");
    assertThatStep(task.step("s1")).isIn("error").went("pending", "enqueued", "in_progress",
        "enqueued_as_error_for_orchestration",
        "error");
    assertThatStep(task.step("s2")).isIn("pending");
    assertThatTask(task).isIn("blocked_by_failures").counts(3, 0, 1, 0).hasNoWakeUp()
        .hasOpenDeadLetter("permanent_failure");
  }

  @Test
  void after_a_failure_steps_in_flight_finish_and_nothing_else_starts() {
    Dag.Task task = Dag.of("bad").step("good").step("next").dependsOn("good").started();
    List<Claim> claims = worker.claim(2);
    Claim bad = claims.stream().filter(c -> c.step().equals(task.step("bad"))).findFirst()
        .orElseThrow();
    Claim good = claims.stream().filter(c -> c.step().equals(task.step("good"))).findFirst()
        .orElseThrow();
    worker.complete(bad.permanentFailure());
    assertThatTask(task).isIn("steps_in_process").counts(3, 1, 1, 0);
    worker.complete(good.success());

    assertThatStep(task.step("next")).isIn("pending").waitsForParents(0);
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
  }

  @Test
  void a_failure_and_the_success_of_a_sibling_in_one_batch_start_nothing_either() {
    Dag.Task task = Dag.of("bad").step("good").step("next").dependsOn("good").started();
    worker.complete(0, worker.claim(2).stream()
        .map(c -> c.step().equals(task.step("bad")) ? c.permanentFailure() : c.success()).toList());

    assertThatStep(task.step("next")).isIn("pending");
    assertThatTask(task).isIn("blocked_by_failures");
  }

  @Test
  void on_step_error_continue_runs_what_does_not_depend_on_the_failure() {
    Dag.Task task = Dag.of("bad").step("after_bad").dependsOn("bad").step("good").step("next")
        .dependsOn("good").continueOnError()
        .started();
    worker.complete(0, worker.claim(2).stream()
        .map(c -> c.step().equals(task.step("bad")) ? c.permanentFailure() : c.success()).toList());
    assertThatTask(task).isIn("steps_in_process");
    worker.runToTheEnd();

    assertThatStep(task.step("next")).isIn("complete");
    assertThatStep(task.step("after_bad")).isIn("pending").waitsForParents(1);
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
  }

  @Test
  void on_step_error_continue_waits_for_the_retries_before_it_blocks() {
    Dag.Task task = Dag.of("bad").step("again").continueOnError().started();
    worker.complete(0, worker.claim(2).stream()
        .map(c -> c.step().equals(task.step("bad")) ? c.permanentFailure()
            : c.retryableFailure(5000))
        .toList());
    assertThatTask(task).isIn("waiting_for_retry").counts(2, 0, 1, 1);

    worker.at(Instant.now().plusSeconds(6)).advance();
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("blocked_by_failures").counts(1, 0, 1, 0);
  }

  @Test
  void a_cancelled_outcome_without_a_request_is_a_permanent_failure() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().cancelled());
    assertThatStep(task.step("a")).isIn("error");
  }

  @Test
  void a_running_step_that_was_asked_to_stop_ends_as_cancelled_and_the_task_with_it() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    try (Sql sql = Sql.open()) {
      sql.text("select tasker.request_cancel(?, 'me', 'why not')", task.uuid());
    }
    assertThatTask(task).isIn("steps_in_process");
    worker.complete(claim.cancelled());

    assertThatStep(task.step("s1")).isIn("cancelled");
    assertThatStep(task.step("s2")).isIn("cancelled");
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
  }

  @Test
  void after_a_cancel_request_a_success_counts_but_its_children_do_not_start_and_a_failure_is_not_tried_again() {
    Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("a").started();
    List<Claim> claims = worker.claim(2);
    try (Sql sql = Sql.open()) {
      sql.text("select tasker.request_cancel(?, 'me', 'why not', 'allow_finish')", task.uuid());
    }
    worker.complete(0, claims.stream()
        .map(c -> c.step().equals(task.step("a")) ? c.success() : c.retryableFailure()).toList());

    assertThatStep(task.step("a")).isIn("complete");
    assertThatStep(task.step("b")).isIn("cancelled");
    assertThatStep(task.step("c")).isIn("cancelled");
    assertThatTask(task).isIn("cancelled");
  }

  @Test
  void a_worker_only_server_submits_through_the_result_queue_and_an_orchestrator_does_the_rest() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").started();
    Claim claim = worker.claimOne();
    worker.submitResults(claim.success());
    assertThatStep(task.step("a")).isIn("enqueued_for_orchestration");
    assertThat(verdict(worker.submitResults(claim.success()))).isEqualTo("ALREADY");

    try (Sql sql = Sql.open()) {
      assertThat(
          sql.object("select tasker.process_step_results(?)", worker.uuid()).getInt("messages"))
          .isEqualTo(1);
      assertThat(
          sql.object("select tasker.process_step_results(?)", worker.uuid()).getInt("messages"))
          .isZero();
    }
    assertThatStep(task.step("a")).isIn("complete").went("pending", "enqueued", "in_progress",
        "enqueued_for_orchestration", "complete");
    assertThatStep(task.step("b")).isIn("enqueued");
  }

  @Test
  void a_batch_over_many_tasks_completes_each_of_them() {
    List<Dag.Task> tasks = Dag.linear(2).started(40);
    assertThat(worker.runToTheEnd()).hasSize(80);
    tasks.forEach(task -> assertThatTask(task).isIn("complete"));
  }

  @Test
  void two_batches_with_the_same_tasks_in_opposite_order_do_not_deadlock() {
    Dag.parallel(2).started(20);
    List<Claim> claims = worker.claim(40);
    List<Claim> odd = claims.stream().filter(c -> claims.indexOf(c) % 2 == 0).toList();
    List<Claim> even = new java.util.ArrayList<>(
        claims.stream().filter(c -> claims.indexOf(c) % 2 == 1).toList());
    java.util.Collections.reverse(even);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      SqlWorker.in(first).complete(0, odd.stream().map(Claim::success).toList());
      Sql.Later<JsonObject> waiting = second
          .later(s -> SqlWorker.in(s).complete(0, even.stream().map(Claim::success).toList()))
          .untilItWaits();
      first.commit();
      waiting.get();
      second.commit();
    }
    try (Sql sql = Sql.open()) {
      assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
          .isEqualTo(20);
    }
  }

  private static String verdict(JsonObject answer) {
    assertThat(answer.getJsonArray("refused")).hasSize(1);
    return answer.getJsonArray("refused").getJsonObject(0).getString("verdict");
  }

  @Test
  void a_caller_gets_no_child_that_waits_for_another_parent() {
    Dag.of("a").step("b").step("c").dependsOn("a", "b").started();
    List<Claim> roots = worker.claim(2);

    assertThat(worker.complete(1, List.of(roots.get(0).success())).getJsonArray("claimed_steps"))
        .isEmpty();
    assertThat(worker.complete(1, List.of(roots.get(1).success())).getJsonArray("claimed_steps"))
        .hasSize(1);
  }

  @Test
  void a_caller_gets_no_child_after_a_failure() {
    Dag.Task task = Dag.of("a").maxAttempts(1).step("b").step("c").dependsOn("b").started();
    List<Claim> roots = worker.claim(2);
    Claim a = roots.stream().filter(claim -> claim.step().equals(task.step("a"))).findFirst()
        .orElseThrow();
    Claim b = roots.stream().filter(claim -> claim.step().equals(task.step("b"))).findFirst()
        .orElseThrow();
    worker.complete(a.permanentFailure());

    assertThat(worker.complete(1, List.of(b.success())).getJsonArray("claimed_steps")).isEmpty();
    assertThatStep(task.step("c")).isIn("pending");
    assertThatTask(task).isIn("blocked_by_failures");
  }

  @Test
  void the_last_success_of_a_task_that_is_being_cancelled_leaves_it_cancelled() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    sql.text("select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')::text", task.uuid());

    JsonObject reply = worker.complete(1, List.of(claim.success()));

    assertThat(reply.getJsonArray("ended").getJsonObject(0).getString("state"))
        .isEqualTo("cancelled");
    assertThatTask(task).isIn("cancelled");
    assertThatStep(task.step("a")).isIn("complete");
  }

  @Test
  void a_caller_gets_no_child_of_a_paused_template() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    sql.text("select tasker.pause_templates('orders', ?, null, 'ann', 'a test')::text",
        task.template().name());

    assertThat(worker.complete(1, List.of(claim.success())).getJsonArray("claimed_steps"))
        .isEmpty();
    assertThatStep(task.step("s2")).isIn("pending");
  }

  @Test
  void a_caller_gets_no_child_without_its_slot() {
    Dag dag = Dag.of("a").step("b").dependsOn("a").stepPolicy("{\"limit\": 1}");
    Dag.Task first = dag.started();
    Dag.Task second = dag.started();
    // A task under a policy is started by an orchestrator.
    worker.advance();
    List<Claim> roots = worker.claim(2);
    assertThat(worker.complete(1, List.of(roots.get(0).success())).getJsonArray("claimed_steps"))
        .hasSize(1);

    assertThat(worker.complete(1, List.of(roots.get(1).success())).getJsonArray("claimed_steps"))
        .isEmpty();
    assertThat(sql.number(
        "select count(*) from tasker.workflow_steps where state = 'in_progress' and task_uuid in (?, ?)",
        first.uuid(), second.uuid())).isEqualTo(1);
  }
}
