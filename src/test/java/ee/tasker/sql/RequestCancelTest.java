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
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"heartbeat", "release_steps", "save_checkpoint", "settle_contexts", "take_unchecked_tasks"})
class RequestCancelTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private String cancel(Dag.Task task) {
    JsonObject answer = sql.object("select tasker.request_cancel(?, 'me', 'why not')", task.uuid());
    return answer.getString("outcome") + " " + answer.getString("state");
  }

  @Test
  void what_is_not_running_is_cancelled_at_once_and_a_second_request_changes_nothing() {
    Dag.Task task = Dag.of("waits").step("runs").step("offered").step("later").dependsOn("offered").started();
    for (Claim claim : worker.claim(3)) {
      if (claim.step().equals(task.step("waits"))) {
        worker.complete(claim.retryableFailure(60_000));
      } else if (claim.step().equals(task.step("offered"))) {
        sql.text("select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'pending', 'worker', null)", claim.step());
        sql.text("select tasker.transition_step_state_atomic(?, 1, 'pending', 'enqueued', 'orchestrator', null)", claim.step());
      }
    }
    assertThat(cancel(task)).isEqualTo("requested steps_in_process");
    assertThat(cancel(task)).isEqualTo("already_requested steps_in_process");
    for (String step : List.of("waits", "offered", "later")) {
      assertThatStep(task.step(step)).isIn("cancelled");
    }
    assertThatStep(task.step("runs")).isIn("in_progress");
    assertThat(worker.claim(10)).isEmpty();
  }

  @Test
  void pending_blocked_and_finished_tasks_each_answer_in_their_way() {
    Dag.Task pending = Dag.of("a").submitted();
    assertThat(cancel(pending)).isEqualTo("requested cancelled");
    assertThatTask(pending).went("cancelled").hasNoWakeUp();

    Dag.Task blocked = Dag.linear(2).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(cancel(blocked)).isEqualTo("requested cancelled");

    Dag.Task done = Dag.of("a").started();
    worker.runToTheEnd();
    assertThat(cancel(done)).isEqualTo("already_ended complete");
    assertThat(sql.text("select tasker.request_cancel(gen_random_uuid(), 'me', 'x')")).isNull();
  }

  @Test
  void a_heartbeat_renews_leases_tells_what_is_lost_and_what_should_stop() {
    Dag.Task task = Dag.parallel(2).started();
    List<Claim> claims = worker.claim(2);
    cancel(task);
    Instant later = Instant.now().plusSeconds(30);
    JsonObject answer = beat(sql, later, claims.get(0), claims.get(1).asAttempt(0));
    assertThat(answer.getJsonArray("lost").getString(0)).isEqualTo(claims.get(1).step().toString());
    assertThat(answer.getJsonArray("cancel_requested").getString(0)).isEqualTo(claims.get(0).step().toString());
    assertThatStep(claims.get(0).step()).untilAbout(later.plusSeconds(60));
  }

  @Test
  void a_heartbeat_does_not_wait_for_a_handback_and_does_not_call_its_step_lost() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(claim.success());
      assertThat(beat(sql, null, claim).getJsonArray("lost")).isEmpty();
      session.commit();
    }
    assertThat(beat(sql, null, claim).getJsonArray("lost")).hasSize(1);
  }

  private JsonObject beat(Sql session, Instant now, Claim... claims) {
    return session.object("select tasker.heartbeat(?, 'test', 'worker', 10, 1, ?, 60, ?)", worker.uuid(), steps(claims), now);
  }

  private static jakarta.json.JsonArray steps(Claim... claims) {
    jakarta.json.JsonArrayBuilder steps = jakarta.json.Json.createArrayBuilder();
    for (Claim claim : claims) {
      steps.add(jakarta.json.Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("task_uuid", claim.task().toString())
          .add("attempt", claim.attempt()));
    }
    return steps.build();
  }

  @Test
  void a_released_step_is_offered_again_and_costs_no_attempt() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    Claim claim = worker.claimOne();
    sql.text("select tasker.release_steps(?, ?)", steps(claim, claim.asAttempt(9)), worker.uuid());
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2);
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_step_released_after_a_cancel_request_ends_the_task() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    cancel(task);
    sql.text("select tasker.release_steps(?, ?)", steps(claim), worker.uuid());
    assertThatStep(task.step("a")).isIn("cancelled");
    assertThatTask(task).isIn("cancelled");
  }

  @Test
  void a_checkpoint_is_kept_for_the_next_attempt_and_a_stale_one_is_not() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, 1, '{\"at\": 5}')", claim.step())).isTrue();
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, 2, '{\"at\": 6}')", claim.step())).isFalse();
    worker.complete(claim.retryableFailure(0));
    worker.at(Instant.now().plusSeconds(1)).advance();
    assertThat(worker.claimOne().assignment().getJsonObject("checkpoint").getInt("at")).isEqualTo(5);
  }

  @Test
  void unchecked_contexts_are_judged_once() {
    Dag.Task good = Dag.of("a").withInputSchema().submitted();
    Dag.Task bad = Dag.of("a").withInputSchema().submitted();
    assertThat(sql.array("select tasker.take_unchecked_tasks()")).hasSize(2);
    sql.text("select tasker.settle_contexts(?::jsonb, null)", "[{\"task_uuid\": \"" + good.uuid() + "\", \"violations\": []}, {\"task_uuid\": \""
        + bad.uuid() + "\", \"violations\": [\"no\"]}]");
    assertThatTask(good).isIn("steps_in_process");
    assertThatTask(bad).isIn("error").hasNoWakeUp();
    assertThat(sql.array("select tasker.take_unchecked_tasks()")).isEmpty();
  }
}
