package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A step has two numbers: handoffs fence the calls about it, attempts count what ran or failed. */
@DatabaseTest
class HandoffsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static JsonArray steps(Claim claim) {
    return Json.createArrayBuilder()
        .add(Json.createObjectBuilder().add("step_uuid", claim.step().toString())
            .add("task_uuid", claim.task().toString()).add("handoff", claim.handoff()))
        .build();
  }

  private void release(Claim claim) {
    sql.text("select tasker.release_steps(?, ?)", steps(claim), worker.uuid());
  }

  @Test
  void of_two_handoffs_of_one_attempt_the_earlier_one_is_stale_in_everything() {
    Dag.Task task = Dag.of("a").started();
    Claim returned = worker.claimOne();
    release(returned);
    Claim current = worker.claimOne();
    assertThat(
        List.of(returned.handoff(), returned.attempt(), current.handoff(), current.attempt()))
        .containsExactly(1, 1, 2, 1);
    sql.text("select tasker.request_cancel(?, 'ann', 'to see who is told')", task.uuid());
    String before = sql.text("select s::text from tasker.workflow_steps s");

    for (SqlWorker.Result late : List.of(returned.success(), returned.permanentFailure(),
        returned.retryableFailure(), returned.cancelled())) {
      JsonObject refused = worker.complete(late).getJsonArray("refused").getJsonObject(0);
      assertThat(refused.getString("verdict") + " " + handoff(refused)).isEqualTo("STALE 1");
      assertThat(worker.submitResults(late).getJsonArray("refused")).hasSize(1);
    }
    JsonObject beat = sql.object("select tasker.heartbeat(?, 'test', 'worker', 10, 1, ?, 60)",
        worker.uuid(), steps(returned));
    assertThat(beat.getJsonArray("lost")).hasSize(1);
    assertThat(beat.getJsonArray("cancel_requested")).isEmpty();
    assertThat(sql.array("select tasker.get_cancel_requests(?)", steps(returned))).isEmpty();
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, 1, '{}')", returned.step())).isFalse();
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'enqueued_for_orchestration', 'worker', null)",
        returned.step())).isFalse();
    release(returned);
    sql.text("select tasker.abandon_steps(?, ?)", steps(returned), worker.uuid());
    sql.text("select tasker.decline_steps(?, ?)", steps(returned), worker.uuid());
    assertThat(sql.text("select s::text from tasker.workflow_steps s")).isEqualTo(before);

    JsonObject told = sql.array("select tasker.get_cancel_requests(?)", steps(current))
        .getJsonObject(0);
    assertThat(handoff(told)).isEqualTo(2);
    worker.complete(current.success());
    assertThat(sql.texts(
        "select concat_ws(' ', handoff, attempt, outcome) from tasker.workflow_step_result_audit"))
        .containsExactly("2 1 success");
    assertThatHistoryIsSound();
  }

  private static int handoff(JsonObject told) {
    return told.getInt("handoff");
  }

  @Test
  void a_step_that_is_handed_off_forty_thousand_times_is_still_claimed_retried_and_completed() {
    Dag.Task task = Dag.of("a").maxAttempts(2).backoff("none", 1, 1).started();
    release(worker.claimOne());
    // What 40 000 claims and releases more would have left in the rows: three moves each.
    sql.run("set session_replication_role = replica");
    sql.run("""
        insert into tasker.step_moves
          (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, created_at)
        select s.workflow_step_uuid, s.transition_count + 3 * (g.round - 1) + m.n, s.task_uuid, m.from_state, m.to_state, m.actor,
               s.handoffs + g.round - (m.n < 3)::int, 1, clock_timestamp()
        from tasker.workflow_steps s
        cross join generate_series(1, 40000) as g(round)
        cross join (values (1, 'enqueued'::tasker.step_state, 'in_progress'::tasker.step_state, 'worker'::tasker.actor),
                           (2, 'in_progress', 'pending', 'worker'),
                           (3, 'pending', 'enqueued', 'orchestrator')) as m(n, from_state, to_state, actor)
        order by g.round, m.n""");
    sql.run(
        "update tasker.workflow_steps set handoffs = handoffs + 40000, transition_count = transition_count + 120000, "
            + "enqueued_at = clock_timestamp(), last_attempted_at = clock_timestamp()");
    sql.run(
        "update pgmq.q_worker_orders_queue set message = message || jsonb_build_object('handoff', 40002)");
    sql.run("set session_replication_role = origin");

    Claim claim = worker.claimOne();
    assertThat(List.of(claim.handoff(), claim.attempt())).containsExactly(40_002, 1);
    release(claim);
    Claim first = worker.claimOne();
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, ?, '{\"row\": 7}')", first.step(),
        first.handoff())).isTrue();
    worker.complete(first.retryableFailure(0));
    assertThatStep(task.step("a")).isIn("waiting_for_retry").hasHandoffs(40_003).hasAttempts(1);
    worker.advance();
    Claim second = worker.claimOne();
    assertThat(List.of(second.handoff(), second.attempt())).containsExactly(40_004, 2);
    worker.complete(second.success());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void an_offer_that_a_cancel_revokes_was_no_attempt() {
    Dag.Task task = Dag.of("a").started();
    sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more')", task.uuid());
    assertThatStep(task.step("a")).isIn("cancelled").hasHandoffs(1).hasAttempts(0);
    assertThatHistoryIsSound();
  }

  @Test
  void a_claim_that_goes_back_unstarted_under_a_cancel_was_no_attempt_and_one_that_stopped_was() {
    Dag.Task task = Dag.parallel(2).started();
    List<Claim> claims = worker.claim(2);
    sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more')", task.uuid());
    release(claims.get(0));
    worker.complete(claims.get(1).cancelled());
    assertThatStep(claims.get(0).step()).hasHandoffs(1).hasAttempts(0).went("pending", "enqueued",
        "in_progress", "pending", "cancelled");
    assertThatStep(claims.get(1).step()).hasHandoffs(1).hasAttempts(1).went("pending", "enqueued",
        "in_progress", "cancelled");
    assertThatTask(task).isIn("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_lease_that_ran_out_is_an_attempt_and_the_limit_holds_for_a_move_by_hand_as_well() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    Claim claim = worker.claimOne();
    sql.run("update tasker.workflow_steps set lease_expires_at = ?", Instant.now().minusSeconds(1));
    assertThatDatabaseRefuses("TK005",
        () -> sql.text(
            "select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'pending', 'recovery', null)",
            claim.step()));
    worker.at(Instant.now().plusSeconds(61)).advance();
    assertThatStep(task.step("a")).isIn("error").hasHandoffs(1).hasAttempts(1);
    assertThatHistoryIsSound();
  }

  @Test
  void the_backoff_and_the_limit_count_attempts() {
    Dag.Task task = Dag.of("a").maxAttempts(2).backoff("exponential", 1000, 600_000).started();
    for (int i = 0; i < 5; i++) {
      release(worker.claimOne());
    }
    worker.complete(worker.claimOne().retryableFailure());
    assertThatStep(task.step("a")).isIn("waiting_for_retry").hasHandoffs(6).hasAttempts(1)
        .isDueAbout(Instant.now().plusSeconds(1));
    worker.at(Instant.now().plusSeconds(2)).advance();
    worker.complete(worker.claimOne().retryableFailure());
    assertThatStep(task.step("a")).isIn("error").hasHandoffs(7).hasAttempts(2);
    assertThatHistoryIsSound();
  }
}
