package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A worker that is lost, or considered lost: its steps continue without it, and it can do no harm
 * when it comes back.
 */
@ProtectionTest
class WorkerCrashTest {
  private static final UUID FREE = UUID.randomUUID();

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private JsonObject beat(Claim claim, Instant now) {
    return sql.object("select tasker.heartbeat(?, 'test', 'worker', 10, 1, ?, 60, ?)",
        worker.uuid(),
        Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("handoff",
                claim.handoff()))
            .build(),
        now);
  }

  /**
   * A server that is alive, serves everything and has permits available; then a run of the fallback
   * poller.
   */
  private void round(Instant now) {
    sql.text(
        "select tasker.heartbeat(?, 'free', 'worker', 10, 0, '[]', 60, ?, '{\"handlers\": [\"test.handler\"]}'::jsonb)",
        FREE, now);
    sql.run("update tasker.task_wakeups set wake_at = ?", now);
    sql.text("select tasker.advance_due_tasks(?, 1000, p_now => ?, p_claim_seconds => 300)",
        UUID.randomUUID(), now);
  }

  /** Takes the messages as a worker does that dies before it has claimed anything. */
  private void takeMessagesAndDie() {
    sql.run("delete from pgmq.q_worker_orders_queue");
  }

  @Test
  void W1_offer_whose_worker_died_before_the_claim_is_seen_as_stuck_and_touched_at_its_limit_and_not_before() {
    Dag.Task task = Dag.of("a").started();
    takeMessagesAndDie();
    Instant start = Instant.now();
    round(start.plusSeconds(10));
    assertThat(sql.texts("select why || ' ' || handoff from tasker.unclaimed_offers"))
        .as("steps stuck enqueued")
        .containsExactly("unclaimed 1");
    for (int seconds = 40; seconds < 310; seconds += 30) {
      takeMessagesAndDie();
      round(start.plusSeconds(seconds));
      assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(1).went("pending", "enqueued");
    }
    round(start.plusSeconds(309));
    assertThatStep(task.step("a")).hasAttempts(1);

    round(start.plusSeconds(310));

    assertThatStep(task.step("a")).hasAttempts(2);
  }

  @Test
  void W2_offer_is_taken_back_by_recovery_and_another_worker_completes_the_next_attempt() {
    Dag.Task task = Dag.linear(2).started();
    takeMessagesAndDie();
    Instant start = Instant.now();
    round(start.plusSeconds(10));
    round(start.plusSeconds(310));

    assertThat(sql.texts(
        "select concat_ws(' ', from_state, to_state, actor, attempt) from tasker.workflow_step_transitions where workflow_step_uuid = ? order by sort_key",
        task.step("s1")))
        .containsExactly("pending orchestrator 0", "pending enqueued orchestrator 1",
            "enqueued pending recovery 1",
            "pending enqueued orchestrator 2");
    try (SqlWorker other = SqlWorker.open()) {
      assertThat(other.runToTheEnd()).extracting(Claim::attempt).containsExactly(2, 1);
    }
    assertThatStep(task.step("s2")).went("pending", "enqueued", "in_progress",
        "enqueued_for_orchestration", "complete");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void W3_last_attempt_or_one_that_is_to_be_abandoned_ends_in_error_and_its_task_on_the_failure_path() {
    Dag.Task offered = Dag.linear(2).maxAttempts(1).notRetryable().started();
    Dag.Task running = Dag.of("a").maxAttempts(1).started();
    Dag.Task abandoned = Dag.of("b").abandonedWhenLost().started();
    Instant start = Instant.now();
    for (Claim claim : worker.claim(3)) {
      if (claim.task().equals(offered.uuid())) {
        sql.text(
            "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), null)",
            claim.step(), claim.task());
      }
    }
    takeMessagesAndDie();
    round(start.plusSeconds(10));
    round(start.plusSeconds(311));
    round(start.plusSeconds(312));

    assertThat(sql.texts(
        "select distinct error ->> 'type' from tasker.workflow_step_result_audit order by 1"))
        .isSubsetOf("worker_lost", "unclaimed", "worker_unavailable").isNotEmpty();
    for (Dag.Task task : List.of(running, abandoned)) {
      assertThat(sql.text(
          "select error ->> 'type' from tasker.workflow_step_result_audit where task_uuid = ?",
          task.uuid()))
          .isEqualTo("worker_lost");
      assertThat(sql.number(
          "select count(*) from tasker.workflow_step_transitions where task_uuid = ? and to_state = 'error' and actor = 'recovery'",
          task.uuid()))
          .as("finished events").isEqualTo(1);
      assertThatTask(task).isIn("blocked_by_failures").hasNoWakeUp();
      assertThat(sql.number(
          "select count(*) from tasker.tasks_dlq where task_uuid = ? and resolution_status = 'pending'",
          task.uuid()))
          .isEqualTo(1);
    }
  }

  @Test
  void W4_zombie_is_stale_in_everything_it_tries_and_the_next_attempt_is_undisturbed() {
    Dag.Task task = Dag.of("a").started();
    Claim zombie = worker.claimOne();
    worker.at(Instant.now().plusSeconds(61)).advance();
    try (SqlWorker second = SqlWorker.open()) {
      Claim current = second.claimOne();
      assertThat(current.attempt()).isEqualTo(2);
      String before = sql.text("select s::text from tasker.workflow_steps s");

      // Start it again, by the message of the first attempt.
      sql.text(
          "select pgmq.send('worker_orders_queue'::text, jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1), '{\"claim_order\": 1}'::jsonb)",
          zombie.step(), zombie.task());
      assertThat(worker.at(null).claim(10)).isEmpty();
      // Heartbeat, checkpoint, completion, release.
      assertThat(beat(zombie, null).getJsonArray("lost")).hasSize(1);
      assertThat(beat(zombie, Instant.now().plusSeconds(30)).getJsonArray("lost"))
          .as("when the lease of its successor is due").hasSize(1);
      assertThat(sql.isTrue("select tasker.save_checkpoint(?, 1, '{}')", zombie.step())).isFalse();
      for (SqlWorker.Result result : List.of(zombie.success(), zombie.permanentFailure(),
          zombie.retryableFailure(), zombie.cancelled())) {
        JsonObject refusal = worker.complete(result).getJsonArray("refused").getJsonObject(0);
        assertThat(refusal.getString("verdict") + " " + refusal.getInt("handoff") + " "
            + refusal.getString("step_uuid"))
            .isEqualTo("STALE 1 " + zombie.step());
        assertThat(worker.submitResults(result).getJsonArray("refused").getJsonObject(0)
            .getString("verdict")).isEqualTo("STALE");
      }
      sql.text(
          "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), null)",
          zombie.step(), zombie.task());
      assertThat(sql.isTrue(
          "select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'enqueued_for_orchestration', 'worker', null)",
          zombie.step())).isFalse();

      assertThat(sql.text("select s::text from tasker.workflow_steps s")).isEqualTo(before);
      second.complete(current.success("{\"by\": \"the second\"}"));
    }
    assertThatTask(task).isIn("complete");
    assertThat(sql.texts(
        "select concat_ws(' ', attempt, result ->> 'by') from tasker.workflow_step_result_audit"))
        .containsExactly("2 the second");
  }

  @Test
  void W5_duplicate_dispatch_of_a_running_step_runs_nothing_and_is_acknowledged() {
    Dag.Task task = Dag.of("a").started();
    String dispatch = sql.text("select message from pgmq.q_worker_orders_queue");
    Claim claim = worker.claimOne();
    for (int i = 0; i < 3; i++) {
      sql.text(
          "select pgmq.send('worker_orders_queue'::text, ?::jsonb, '{\"claim_order\": 1}'::jsonb)",
          dispatch);
    }

    assertThat(worker.claim(10)).isEmpty();

    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isZero();
    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1).went("pending", "enqueued",
        "in_progress");
    worker.complete(claim.success());
    assertThatTask(task).isIn("complete");
  }

  @Test
  void W6_lease_of_a_worker_that_beats_is_never_taken_and_that_of_a_dead_one_is() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    Instant now = Instant.now();
    // An hour of work, far longer than any time-out, with a heartbeat every 20 seconds and a
    // recovery check just before each.
    for (int i = 1; i <= 180; i++) {
      now = now.plusSeconds(20);
      sql.run("update tasker.task_wakeups set wake_at = ?", now);
      worker.at(now).advance();
      assertThat(beat(claim, now).getJsonArray("lost")).isEmpty();
    }
    assertThatStep(claim.step()).isIn("in_progress").hasAttempts(1).untilAbout(now.plusSeconds(60));

    worker.at(now.plusSeconds(59)).advance();
    assertThatStep(claim.step()).isIn("in_progress");
    sql.run("update tasker.task_wakeups set wake_at = ?", now.plusSeconds(60));
    worker.at(now.plusSeconds(61)).advance();

    assertThatStep(claim.step()).isIn("enqueued").hasAttempts(2).went("pending", "enqueued",
        "in_progress", "pending", "enqueued");
    assertThat(sql.text(
        "select concat_ws(' ', actor, metadata ->> 'reason', metadata ->> 'server') from tasker.workflow_step_transitions where from_state = 'in_progress'"))
        .isEqualTo("recovery lease_expired " + worker.uuid());
    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void W7_sweepers_of_the_same_500_steps_recover_each_once() {
    Dag.parallel(1).maxAttempts(3).started(500);
    assertThat(worker.claim(500)).hasSize(500);
    Instant later = sql.instant("select max(lease_expires_at) from tasker.workflow_steps");
    sql.run("update tasker.task_wakeups set wake_at = ?", later);
    int sweepers = 4;
    try (Race race = new Race(sweepers)) {
      @SuppressWarnings("unchecked")
      java.util.function.Function<Sql, Integer>[] sweeps = IntStream.range(0, sweepers)
          .mapToObj(i -> (java.util.function.Function<Sql, Integer>) session -> {
            int evaluated = 0;
            for (int tasks = 1; tasks > 0; evaluated += tasks) {
              tasks = session.object("select tasker.advance_due_tasks(?, 50, p_now => ?)",
                  UUID.randomUUID(), later).getInt("tasks");
            }
            return evaluated;
          }).toArray(java.util.function.Function[]::new);
      List<Integer> evaluated = race.run(sweeps);
      System.out.println("sweepers evaluated " + evaluated + " tasks");
      // A sweeper that saw a task due before another one committed evaluates it again, and finds
      // nothing to do.
      assertThat(evaluated.stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(500);
    }
    assertThat(sql
        .number("select count(*) from tasker.workflow_step_transitions where actor = 'recovery'"))
        .isEqualTo(500);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_steps where state = 'enqueued' and attempts = 2"))
        .isEqualTo(500);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(500);
    Set<UUID> again = new HashSet<>();
    worker.claim(1000).forEach(claim -> assertThat(again.add(claim.step())).isTrue());
    assertThat(again).hasSize(500);
  }

  @Test
  void W7_heartbeat_between_a_sweeps_read_and_its_write_makes_it_change_nothing() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    Instant end = sql.instant("select lease_expires_at from tasker.workflow_steps");
    try (Sql beat = Sql.session(); Sql sweep = Sql.session()) {
      beat.text("select tasker.heartbeat(?, 'test', 'worker', 10, 1, ?, 60, ?)", worker.uuid(),
          Json.createArrayBuilder().add(Json.createObjectBuilder()
              .add("step_uuid", claim.step().toString()).add("handoff", 1)).build(),
          end);
      // The sweep has read the old lease and waits for the row.
      Sql.Later<Long> taken = sweep
          .later(session -> session.number(
              "select tasker.recover_expired_steps(array[?]::uuid[], null, ?)", task.uuid(), end))
          .untilItWaits();
      beat.commit();
      assertThat(taken.get()).isZero();
      sweep.commit();
    }
    assertThatStep(claim.step()).isIn("in_progress").untilAbout(end.plusSeconds(60)).went("pending",
        "enqueued", "in_progress");
  }

  @Test
  void W8_draining_worker_hands_back_what_it_has_not_started_at_once_and_it_costs_no_attempt() {
    Dag.Task task = Dag.parallel(2).maxAttempts(1).started();
    List<Claim> claims = worker.claim(2);
    Claim running = claims.get(0);
    Claim notStarted = claims.get(1);

    sql.text(
        "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), ?)",
        notStarted.step(), notStarted.task(), worker.uuid());

    // Offered again to any worker before a lease could have expired.
    try (SqlWorker other = SqlWorker.open()) {
      Claim next = other.claimOne();
      assertThat(next.step()).isEqualTo(notStarted.step());
      assertThat(next.handoff()).isEqualTo(2);
      assertThat(next.attempt()).as("an attempt that did not start is not spent").isEqualTo(1);
      other.complete(next.success());
    }
    worker.complete(running.success());
    assertThatTask(task).isIn("complete");
  }
}
