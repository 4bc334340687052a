package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The windows in which a crash can lose something in an engine that keeps state, result and message
 * apart; C11, the LISTEN connection, is in CrashWindowsIT.
 */
@ProtectionTest
class CrashWindowsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private long messages() {
    return sql.number("select count(*) from pgmq.q_worker_orders_queue");
  }

  @Test
  void C1_step_is_never_offered_without_its_message() {
    Dag.Task task = Dag.parallel(3).submitted();
    try (CrashPoints crash = new CrashPoints()) {
      int points = crash.killAtEach(
          session -> session.object("select tasker.evaluate_tasks(array[?]::uuid[], null)",
              task.uuid()),
          () -> assertThat(
              sql.number("select count(*) from tasker.workflow_steps where state = 'enqueued'"))
              .isEqualTo(messages())
              .isZero());
      assertThat(points).isGreaterThan(8);
    }
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'enqueued'"))
        .isEqualTo(messages()).isEqualTo(3);
  }

  @Test
  void C2_step_whose_worker_died_after_taking_the_message_is_run_by_another() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();
    assertThat(messages()).as("acknowledged with the claim").isZero();

    worker.at(Instant.now().plusSeconds(61)).advance();

    try (SqlWorker other = SqlWorker.open()) {
      other.complete(other.claimOne().success());
    }
    assertThatTask(task).isIn("complete");
    assertThatStep(task.step("a")).hasAttempts(2);
  }

  @Test
  void C3_step_is_never_complete_without_its_result() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    try (CrashPoints crash = new CrashPoints()) {
      int points = crash.killAtEach(
          session -> SqlWorker.in(session).complete(claim.success("{\"n\": 1}")), () -> {
            assertThatStep(claim.step()).isIn("in_progress");
            assertThat(sql.number("select count(*) from tasker.workflow_step_result_audit"))
                .isZero();
          });
      assertThat(points).isGreaterThan(8);
    }
    assertThatStep(claim.step()).isIn("complete");
    assertThat(sql.text("select result ->> 'n' from tasker.workflow_step_result_audit"))
        .isEqualTo("1");
  }

  @Test
  void C4_result_without_its_notice_is_found() {
    Dag.Task task = Dag.of("a").started();
    worker.submitResults(worker.claimOne().success());
    sql.run("delete from pgmq.q_orchestration_step_results");
    assertThatStep(task.step("a")).isIn("enqueued_for_orchestration");

    worker.at(Instant.now().plusSeconds(31)).advance();

    assertThatStep(task.step("a")).isIn("complete");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void C5_task_never_ends_without_the_successors_of_its_last_step() {
    Dag.Task task = Dag.fanOut(5).started();
    Claim start = worker.claimOne();
    try (CrashPoints crash = new CrashPoints()) {
      crash.killAtEach(session -> SqlWorker.in(session).complete(start.success()), () -> {
        assertThatStep(start.step()).isIn("in_progress");
        assertThatTask(task).isIn("steps_in_process").counts(7, 1, 0, 0);
        assertThat(messages()).isZero();
      });
    }
    assertThatTask(task).counts(6, 5, 0, 0);
    assertThat(messages()).isEqualTo(5);
    assertThat(worker.runToTheEnd()).hasSize(6);
    assertThatTask(task).isIn("complete");
  }

  @Test
  void C6_task_left_in_any_state_between_two_rests_is_found_and_goes_on() {
    List<String> way = List.of("pending", "initializing", "enqueuing_steps", "steps_in_process",
        "evaluating_results");
    for (int stop = 1; stop < way.size(); stop++) {
      Dag.Task task = Dag.of("a").submitted();
      for (int i = 1; i <= stop; i++) {
        assertThat(sql.isTrue("select tasker.transition_task_state_atomic(?, ?, ?, null)",
            task.uuid(), way.get(i - 1), way.get(i)))
            .isTrue();
      }
      worker.at(Instant.now().plusSeconds(31)).advance();
      worker.at(null).runToTheEnd();
      assertThatTask(task).isIn("complete");
    }
  }

  @Test
  void C7_step_that_no_worker_ever_starts_comes_to_an_end_and_leaves_no_message_behind() {
    Dag.Task task = Dag.of("a").maxAttempts(3).started();
    Instant now = Instant.now();
    int deliveries = 0;
    for (int i = 0; i < 10; i++) {
      // Taken off the queue, and then no permit was available for it.
      deliveries += worker.at(now).claim(10).size();
      now = now.plusSeconds(61);
      sql.run("update tasker.task_wakeups set wake_at = ?", now);
      worker.at(now).advance();
    }
    assertThat(deliveries).isEqualTo(3);
    assertThatStep(task.step("a")).isIn("error").hasAttempts(3);
    assertThat(sql.text("select error ->> 'type' from tasker.workflow_step_result_audit"))
        .isEqualTo("worker_lost");
    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("max_retries_exceeded");
    assertThat(messages()).isZero();
  }

  @Test
  void C8_result_that_arrives_while_the_task_is_being_enqueued_is_not_lost() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    try (Sql orchestrator = Sql.session(); Sql result = Sql.session()) {
      // An orchestrator holds the task in the middle of its round.
      orchestrator.object("select tasker.evaluate_tasks(array[?]::uuid[], null)", task.uuid());
      Sql.Later<JsonObject> completion = result
          .later(session -> SqlWorker.in(session).complete(claim.success())).untilItWaits();
      orchestrator.commit();
      assertThat(completion.get().getJsonArray("refused")).isEmpty();
      result.commit();
    }
    assertThatStep(task.step("s2")).isIn("enqueued");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void C9_two_results_of_one_task_at_the_same_moment_both_count() {
    List<Dag.Task> tasks = Dag.parallel(2).step("join").dependsOn("p1", "p2").step("other")
        .dependsOn("p1").continueOnError().started(100);
    List<Claim> claims = worker.claim(200);
    assertThat(claims).hasSize(200);
    int round = 0;
    try (Race race = new Race(2)) {
      for (Dag.Task task : tasks) {
        List<Claim> two = claims.stream().filter(claim -> claim.task().equals(task.uuid()))
            .toList();
        boolean oneFails = round++ % 2 == 0;
        List<Integer> refused = race.run(
            session -> SqlWorker.in(session).complete(two.get(0).success()).getJsonArray("refused")
                .size(),
            session -> SqlWorker.in(session)
                .complete(oneFails ? two.get(1).permanentFailure() : two.get(1).success())
                .getJsonArray("refused").size());
        assertThat(refused).containsOnly(0);
      }
    }
    assertThat(sql.number("select count(*) from tasker.workflow_step_result_audit")).isEqualTo(200);
    assertThat(sql.number("select count(*) from tasker.tasks where failed_steps = 1"))
        .isEqualTo(50);
    worker.runToTheEnd();
    assertThat(
        sql.texts("select state || ' ' || count(*) from tasker.tasks group by state order by 1"))
        .containsExactly("blocked_by_failures 50", "complete 50");
  }

  @Test
  void C9_batches_of_results_of_the_same_tasks_do_not_deadlock() {
    for (int round = 0; round < 4; round++) {
      List<Dag.Task> tasks = Dag.parallel(2).started(20);
      Map<UUID, List<Claim>> steps = worker.claim(40).stream()
          .collect(Collectors.groupingBy(Claim::task));
      UUID middle = tasks.stream().map(Dag.Task::uuid).sorted(Comparator.comparing(UUID::toString))
          .toList().get(10);
      try (Sql holder = Sql.session(); Sql first = Sql.session(); Sql second = Sql.session()) {
        // Both are stopped half way through their locks, one by a third and the other by the first.
        holder.text("select task_uuid from tasker.tasks where task_uuid = ? for update", middle);
        Sql.Later<JsonObject> one = first
            .later(session -> SqlWorker.in(session).complete(0,
                steps.values().stream().map(two -> two.get(0).success()).toList()))
            .untilItWaits();
        Sql.Later<JsonObject> two = second
            .later(session -> SqlWorker.in(session).complete(0,
                steps.values().stream().map(both -> both.get(1).success()).toList()))
            .untilItWaits();
        holder.rollback();
        assertThat(one.get().getJsonArray("refused")).isEmpty();
        first.commit();
        assertThat(two.get().getJsonArray("refused")).isEmpty();
        second.commit();
      }
    }
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(80);
  }

  @Test
  void C10_notice_of_a_result_exists_exactly_when_the_result_does() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    String both = "select (select count(*) from tasker.workflow_step_result_audit) || ' ' || (select count(*) from pgmq.q_orchestration_step_results)";
    try (CrashPoints crash = new CrashPoints()) {
      crash.killAtEach(session -> SqlWorker.in(session).submitResults(claim.success()),
          () -> assertThat(sql.text(both)).isEqualTo("0 0"));
    }
    assertThat(sql.text(both)).isEqualTo("1 1");
  }

  @Test
  void C12_cancel_is_whole_or_not_at_all() {
    Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("a").step("d").dependsOn("b", "c")
        .started();
    worker.complete(worker.claimOne().retryableFailure(60_000));
    String before = sql.text(
        "select string_agg(s.state::text, ' ' order by step_position) from tasker.workflow_steps s");
    try (CrashPoints crash = new CrashPoints()) {
      int points = crash.killAtEach(
          session -> session.object(
              "select tasker.request_cancel(?, 'me', 'why not', p_server_uuid => ?)", task.uuid(),
              UUID.randomUUID()),
          () -> {
            assertThat(sql.text(
                "select string_agg(s.state::text, ' ' order by step_position) from tasker.workflow_steps s"))
                .isEqualTo(before);
            assertThat(sql
                .number("select count(*) from tasker.tasks where cancel_requested_at is not null"))
                .isZero();
          });
      assertThat(points).isGreaterThan(8);
    }
    assertThat(sql.texts("select distinct state from tasker.workflow_steps"))
        .containsExactly("cancelled");
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
  }
}
