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
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"check_action", "is_repeated_action"})
class ActOnStepTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();

  private Dag.Task exhausted() {
    Dag.Task task = Dag.of("s1").maxAttempts(1).step("s2").dependsOn("s1").started();
    worker.complete(worker.claimOne().retryableFailure());
    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("max_retries_exceeded");
    return task;
  }

  @Test
  void a_reset_step_is_offered_when_the_call_returns_and_has_all_its_attempts_again() {
    Dag.Task task = Dag.of("a").maxAttempts(2).backoff("none", 1, 1).started();
    worker.complete(worker.claimOne().retryableFailure(0));
    worker.advance();
    worker.complete(worker.claimOne().retryableFailure(0));
    JsonObject done = ann.step(task, "a", "reset_for_retry");
    assertThat(done.getString("outcome")).isEqualTo("done");
    assertThat(done.getString("state")).isEqualTo("enqueued");
    assertThat(done.getString("task_state")).isEqualTo("steps_in_process");
    assertThat(done.getJsonArray("queued").toString()).isEqualTo("[\"orders\"]");
    assertThatTask(task).counts(1, 1, 0, 0);
    worker.complete(worker.claimOne().retryableFailure(0));
    assertThatStep(task.step("a")).isIn("waiting_for_retry").hasAttempts(3);
    worker.advance();
    worker.complete(worker.claimOne().retryableFailure(0));
    assertThatStep(task.step("a")).isIn("error").hasAttempts(4);
  }

  @Test
  void a_worker_that_counts_as_lost_cannot_submit_its_result_to_the_reset_step() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    Claim old = worker.claimOne();
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '1 s'");
    sql.run("update tasker.task_wakeups set wake_at = clock_timestamp()");
    worker.advance();
    assertThatStep(old.step()).isIn("error");
    ann.step(task, "a", "reset_for_retry");
    Claim fresh = worker.claimOne();
    assertThat(worker.complete(old.success()).getJsonArray("refused").getJsonObject(0)
        .getString("verdict")).isEqualTo("STALE");
    assertThat(fresh.attempt()).isEqualTo(2);
    worker.complete(fresh.success());
    assertThatTask(task).isIn("complete");
  }

  @Test
  void inputs_are_replaced_and_what_they_were_is_kept() {
    Dag.Task task = exhausted();
    ann.step(task, "s1", "reset_for_retry", "{\"inputs\": {\"card\": \"tok_1\"}}");
    Claim claim = worker.claimOne();
    assertThat(claim.claimedStep().getJsonObject("inputs").getString("card")).isEqualTo("tok_1");
    worker.complete(claim.permanentFailure());
    ann.step(task, "s1", "reset_for_retry", "{\"inputs\": {\"card\": \"tok_2\"}}");
    assertThat(worker.claimOne().claimedStep().getJsonObject("inputs").getString("card"))
        .isEqualTo("tok_2");
    assertThat(
        sql.texts(
            "select concat_ws(' ', acted_by, reason, details #>> '{inputs,card}', coalesce(details #>> '{before,inputs,card}', '-')) "
                + "from tasker.operator_actions where task_uuid = ? order by acted_at",
            task.uuid()))
        .containsExactly("ann the other side has fixed it tok_1 -",
            "ann the other side has fixed it tok_2 tok_1");
  }

  @Test
  void a_checkpoint_outlives_a_reset_unless_it_is_discarded() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    sql.text("select tasker.save_checkpoint(?, 1, '{\"row\": 7}')", claim.step());
    worker.complete(claim.permanentFailure());
    ann.step(task, "a", "reset_for_retry");
    claim = worker.claimOne();
    assertThat(claim.claimedStep().getJsonObject("checkpoint").getInt("row")).isEqualTo(7);
    worker.complete(claim.permanentFailure());
    ann.step(task, "a", "reset_for_retry", "{\"discard_checkpoint\": true}");
    assertThat(worker.claimOne().claimedStep().isNull("checkpoint")).isTrue();
  }

  @Test
  void a_result_entered_by_an_operator_is_what_successors_see() {
    Dag.Task task = exhausted();
    JsonObject done = ann.step(task, "s1", "complete_manually",
        "{\"result\": {\"paid\": 5}, \"metadata\": {\"ticket\": 9}}");
    assertThat(done.getString("state")).isEqualTo("complete");
    assertThat(
        worker.claimOne().claimedStep().getJsonObject("results").getJsonObject("s1").getInt("paid"))
        .isEqualTo(5);
    assertThat(sql.text(
        "select metadata ->> 'by' || ' ' || (metadata #>> '{metadata,ticket}') from tasker.workflow_step_transitions "
            + "where workflow_step_uuid = ? and actor = 'operator'",
        task.step("s1"))).isEqualTo("ann 9");
    assertThat(
        sql.text("select resolution_status from tasker.tasks_dlq where task_uuid = ?", task.uuid()))
        .isEqualTo("manually_resolved");
  }

  @Test
  void a_resolved_step_lets_the_task_go_on_and_end() {
    Dag.Task task = exhausted();
    ann.step(task, "s1", "resolve_manually");
    assertThatStep(task.step("s2")).isIn("enqueued");
    JsonObject last = ann.step(task, "s2", "resolve_manually");
    assertThat(last.getString("code")).isEqualTo("step-not-movable");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void with_two_failures_the_task_goes_on_when_the_second_is_dealt_with() {
    Dag.Task task = Dag.parallel(2).started();
    worker.complete(0, worker.claim(2).stream().map(Claim::permanentFailure).toList());
    assertThat(ann.step(task, "p1", "reset_for_retry").getString("task_state"))
        .isEqualTo("blocked_by_failures");
    assertThatStep(task.step("p1")).isIn("pending");
    assertThatTask(task).counts(2, 0, 1, 0).hasNoWakeUp();
    assertThat(ann.step(task, "p2", "resolve_manually").getString("task_state"))
        .isEqualTo("steps_in_process");
    assertThatStep(task.step("p1")).isIn("enqueued");
  }

  @Test
  void the_same_request_again_gets_already() {
    Dag.Task task = exhausted();
    ann.step(task, "s1", "reset_for_retry");
    assertThat(ann.step(task, "s1", "reset_for_retry").getString("outcome")).isEqualTo("already");
    assertThat(
        sql.text("select tasker.act_on_step(?, ?, 'reset_for_retry', 'bob', 'me too') ->> 'code'",
            task.uuid(), task.step("s1")))
        .isEqualTo("step-not-movable");
    worker.complete(worker.claimOne().success());
    assertThat(ann.step(task, "s1", "complete_manually", "{\"result\": 1}").getString("code"))
        .isEqualTo("step-not-movable");
    assertThat(sql.number("select count(*) from tasker.operator_actions")).isEqualTo(1);
  }

  @Test
  void an_attempt_that_the_person_did_not_see_is_not_touched() {
    Dag.Task task = exhausted();
    JsonObject refused = ann.step(task, "s1", "resolve_manually", "{\"attempt\": 2}");
    assertThat(refused.getString("code")).isEqualTo("attempt-has-changed");
    assertThat(refused.getString("field")).isEqualTo("attempt");
    assertThat(ann.step(task, "s1", "resolve_manually", "{\"attempt\": 1}").getString("outcome"))
        .isEqualTo("done");
  }

  @Test
  void steps_of_a_task_that_ended_or_is_being_cancelled_stay() {
    Dag.Task ended = exhausted();
    ann.task(ended, "fail");
    assertThat(ann.step(ended, "s1", "reset_for_retry").getString("code"))
        .isEqualTo("task-already-ended");

    Dag.Task cancelling = Dag.parallel(2).started();
    Claim failing = worker.claimOne();
    Claim running = worker.claimOne();
    worker.complete(failing.permanentFailure());
    ann.task(cancelling, "cancel");
    assertThat(
        sql.text("select tasker.act_on_step(?, ?, 'resolve_manually', 'ann', 'x') ->> 'code'",
            cancelling.uuid(), failing.step()))
        .isEqualTo("task-is-being-cancelled");
    worker.complete(running.success());
  }

  @Test
  void nothing_happens_without_an_operator_a_reason_and_a_known_action() {
    Dag.Task task = exhausted();
    String call = "select tasker.act_on_step(?, ?, ?, ?, ?)";
    assertThatDatabaseRefuses("TK007",
        () -> sql.text(call, task.uuid(), task.step("s1"), "reset_for_retry", " ", "why"))
        .hasMessageContaining("name of the operator");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text(call, task.uuid(), task.step("s1"), "reset_for_retry", "ann", ""))
        .hasMessageContaining("reason");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text(call, task.uuid(), task.step("s1"), "do_it", "ann", "why"))
        .hasMessageContaining("do_it");
    assertThat(sql.object(call, task.uuid(), UUID.randomUUID(), "reset_for_retry", "ann", "why")
        .getString("code"))
        .isEqualTo("step-not-found");
    assertThat(ann.step(task, "s1", "complete_manually", null).getString("field"))
        .as("no data are no result").isEqualTo("completion_data");
    assertThat(ann.step(task, "s1", "complete_manually", "[\"result\"]").getString("field"))
        .isEqualTo("data");
    assertThat(
        ann.step(task, "s1", "reset_for_retry", "{\"attempt\": \"last\"}").getString("field"))
        .isEqualTo("attempt");
    assertThat(ann.step(task, "s1", "reset_for_retry", "{\"attempt\": 1.5}").getString("code"))
        .isEqualTo("attempt-has-changed");
    assertThat(ann.step(task, "s1", "reset_for_retry", "{\"discard_checkpoint\": \"yes\"}")
        .getString("field"))
        .isEqualTo("discard_checkpoint");
    assertThat(ann.step(task, "s1", "complete_manually").getString("field"))
        .isEqualTo("completion_data");
    assertThat(ann.step(task, "s1", "resolve_manually", "{\"inputs\": {}}").getString("field"))
        .isEqualTo("inputs");
    assertThatStep(task.step("s1")).isIn("error");
    assertThatDatabaseRefuses("23514",
        () -> sql.run(
            "insert into tasker.operator_actions (action, acted_by, reason) values ('x', 'ann', ' ')"));
  }

  @Test
  void what_people_did_stays_written() {
    Dag.Task task = exhausted();
    ann.step(task, "s1", "reset_for_retry");
    assertThatDatabaseRefuses("TK009",
        () -> sql.run("update tasker.operator_actions set acted_by = 'bob'"));
    assertThatDatabaseRefuses("TK009", () -> sql.run("delete from tasker.operator_actions"));
  }

  @Test
  void of_two_operators_who_act_on_one_step_the_second_learns_what_the_first_did() {
    Dag.Task task = exhausted();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      first.text("select tasker.act_on_step(?, ?, 'reset_for_retry', 'ann', 'a')", task.uuid(),
          task.step("s1"));
      UUID step = task.step("s1");
      Sql.Later<String> waiting = second
          .later(s -> s.text(
              "select tasker.act_on_step(?, ?, 'resolve_manually', 'bob', 'b') ->> 'code'",
              task.uuid(), step))
          .untilItWaits();
      first.commit();
      assertThat(waiting.get()).isEqualTo("step-not-movable");
    }
    assertThatStep(task.step("s1")).isIn("enqueued");
  }

  @Test
  void actions_keep_the_clock_that_they_are_given() {
    Dag.Task task = exhausted();
    Instant later = Instant.parse("2031-01-01T00:00:00Z");
    ann.at(later).step(task, "s1", "resolve_manually");
    assertThat(
        sql.instant("select completed_at from tasker.workflow_steps where workflow_step_uuid = ?",
            task.step("s1")))
        .isEqualTo(later);
    assertThat(sql.instant("select acted_at from tasker.operator_actions")).isEqualTo(later);
  }
}
