package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
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
@DatabaseTest.Covers({"get_cancel_requests", "heartbeat", "release_steps", "save_checkpoint",
  "start_validated_tasks",
  "take_unchecked_tasks"})
class RequestCancelTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private String cancel(Dag.Task task) {
    JsonObject answer = sql.object("select tasker.request_cancel(?, 'me', 'why not')", task.uuid());
    return answer.getString("outcome") + " " + answer.getString("state");
  }

  @Test
  void what_is_not_running_is_cancelled_at_once_and_a_second_request_changes_nothing() {
    Dag.Task task = Dag.of("waits").step("runs").step("offered").step("later").dependsOn("offered")
        .started();
    for (Claim claim : worker.claim(3)) {
      if (claim.step().equals(task.step("waits"))) {
        worker.complete(claim.retryableFailure(60_000));
      } else if (claim.step().equals(task.step("offered"))) {
        sql.text(
            "select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'pending', 'worker', null)",
            claim.step());
        sql.text(
            "select tasker.transition_step_state_atomic(?, 1, 'pending', 'enqueued', 'orchestrator', null)",
            claim.step());
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

  /** A worker would drop them; where no worker has their handler, they would stay. */
  @Test
  void messages_of_revoked_offers_go_with_them_and_no_others() {
    cancelWhatIsOffered(1, false);
  }

  @Test
  void messages_of_revoked_offers_of_a_retry_go_with_them() {
    cancelWhatIsOffered(2, false);
  }

  @Test
  void messages_of_revoked_offers_that_were_sent_before_the_task_was_late_go_with_them() {
    cancelWhatIsOffered(2, true);
  }

  private void cancelWhatIsOffered(int attempt, boolean isLate) {
    Dag.Task task = Dag.of("a").step("b").maxAttempts(3).backoff("none", 1, 1).slaMinutes(60)
        .started();
    for (int earlier = 1; earlier < attempt; earlier++) {
      worker.claim(2).forEach(claim -> worker.complete(claim.retryableFailure(0)));
      sql.run("update tasker.task_wakeups set wake_at = now()");
      worker.at(Instant.now().plusSeconds(60)).advance();
      worker.at(null);
    }
    if (isLate) {
      // As after a breach of its SLA while one of its messages was locked.
      sql.run(
          "update tasker.tasks set claim_order = claim_order - 6000000, sla_breached_at = created_at + interval '1 hour' where task_uuid = ?",
          task.uuid());
    }
    Dag.Task other = Dag.of("a").started();
    String messages = "select m.message ->> 'step_uuid' from pgmq.q_worker_orders_queue m";
    assertThat(sql.texts(messages)).contains(task.step("a").toString(), task.step("b").toString(),
        other.step("a").toString());

    assertThat(cancel(task)).isEqualTo("requested cancelled");

    assertThat(sql.texts(messages)).containsExactly(other.step("a").toString());
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
  }

  @Test
  void a_policy_children_or_a_grace_period_that_cannot_be_are_refused_by_name_and_change_nothing() {
    Dag.Task task = Dag.of("a").started();
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.request_cancel(?, 'me', 'x', null)", task.uuid()))
        .hasMessageContaining("policy");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.request_cancel(?, 'me', 'x', 'softly')", task.uuid()))
        .hasMessageContaining("softly");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.request_cancel(?, 'me', 'x', p_children => null)",
            task.uuid()))
        .hasMessageContaining("children");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.request_cancel(?, 'me', 'x', p_grace_seconds => -1)",
            task.uuid()))
        .hasMessageContaining("grace_seconds");
    assertThat(
        sql.text("select cancel_requested_at from tasker.tasks where task_uuid = ?", task.uuid()))
        .isNull();
  }

  @Test
  void a_heartbeat_renews_leases_tells_what_is_lost_and_what_should_stop() {
    Dag.Task task = Dag.parallel(2).started();
    List<Claim> claims = worker.claim(2);
    cancel(task);
    Instant later = Instant.now().plusSeconds(30);
    JsonObject answer = beat(sql, later, claims.get(0), claims.get(1).asHandoff(0));
    assertThat(answer.getJsonArray("lost").getString(0)).isEqualTo(claims.get(1).step().toString());
    assertThat(answer.getJsonArray("cancel_requested").getString(0))
        .isEqualTo(claims.get(0).step().toString());
    assertThatStep(claims.get(0).step()).untilAbout(later.plusSeconds(60));
  }

  @Test
  void a_heartbeat_does_not_wait_for_a_result_submission_and_does_not_call_its_step_lost() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(claim.success());
      // When so much of the lease is over that it is due to be renewed.
      assertThat(beat(sql, Instant.now().plusSeconds(30), claim).getJsonArray("lost")).isEmpty();
      session.commit();
    }
    assertThat(beat(sql, null, claim).getJsonArray("lost")).hasSize(1);
  }

  private JsonObject beat(Sql session, Instant now, Claim... claims) {
    return session.object("select tasker.heartbeat(?, 'test', 'worker', 10, 1, ?, 60, ?)",
        worker.uuid(), steps(claims), now);
  }

  private static jakarta.json.JsonArray steps(Claim... claims) {
    jakarta.json.JsonArrayBuilder steps = jakarta.json.Json.createArrayBuilder();
    for (Claim claim : claims) {
      steps.add(jakarta.json.Json.createObjectBuilder().add("step_uuid", claim.step().toString())
          .add("task_uuid", claim.task().toString())
          .add("handoff", claim.handoff()));
    }
    return steps.build();
  }

  @Test
  void a_released_step_is_offered_again_and_costs_no_attempt() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    Claim claim = worker.claimOne();
    sql.text("select tasker.release_steps(?, ?)", steps(claim, claim.asHandoff(9)), worker.uuid());
    assertThatStep(task.step("a")).isIn("enqueued").hasHandoffs(2).hasAttempts(1);
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
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, 1, '{\"at\": 5}')", claim.step()))
        .isTrue();
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, 2, '{\"at\": 6}')", claim.step()))
        .isFalse();
    worker.complete(claim.retryableFailure(0));
    worker.at(Instant.now().plusSeconds(1)).advance();
    assertThat(worker.claimOne().claimedStep().getJsonObject("checkpoint").getInt("at"))
        .isEqualTo(5);
  }

  @Test
  void unchecked_contexts_are_judged_once() {
    Dag.Task good = Dag.of("a").withInputSchema().submitted();
    Dag.Task bad = Dag.of("a").withInputSchema().submitted();
    assertThat(sql.array("select tasker.take_unchecked_tasks()")).hasSize(2);
    sql.text("select tasker.start_validated_tasks(?::jsonb, null)",
        "[{\"task_uuid\": \"" + good.uuid() + "\", \"violations\": []}, {\"task_uuid\": \""
            + bad.uuid() + "\", \"violations\": [\"no\"]}]");
    assertThatTask(good).isIn("steps_in_process");
    assertThatTask(bad).isIn("error").hasNoWakeUp();
    assertThat(sql.array("select tasker.take_unchecked_tasks()")).isEmpty();
  }

  private JsonObject cancelAs(Dag.Task task, String policy, Integer grace, String children) {
    return sql.object(
        "select tasker.request_cancel(?, 'me', 'why not', ?, p_grace_seconds => ?, p_children => ?)",
        task.uuid(), policy, grace, children);
  }

  private int forceInSeconds(Claim claim) {
    JsonObject request = sql.array("select tasker.get_cancel_requests(?)", steps(claim))
        .getJsonObject(0);
    return (int) Math.round(request.getInt("force_in_ms") / 1000.0);
  }

  @Test
  void a_running_step_that_does_not_stop_is_ended_when_its_grace_period_is_over_and_not_before() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    Instant asked = Instant.now();
    cancelAs(task, "cancel_running", 20, "leave");
    assertThatTask(task).isLookedAtAbout(asked.plusSeconds(20));
    SqlWorker other = SqlWorker.open();
    sql.run("update tasker.task_wakeups set wake_at = now()");
    other.at(asked.plusSeconds(19)).advance();
    assertThatStep(claim.step()).isIn("in_progress");
    assertThatTask(task).isLookedAtAbout(asked.plusSeconds(20));

    other.at(asked.plusSeconds(21)).advance();

    assertThatStep(claim.step()).isIn("cancelled");
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
    assertThat(
        sql.text(
            "select actor || ' ' || (metadata ->> 'forced') || ' ' || (metadata ->> 'reason') from tasker.workflow_step_transitions "
                + "where from_state = 'in_progress'"))
        .isEqualTo("recovery true cancel_grace_over");
    assertThat(worker.complete(claim.success()).getJsonArray("refused").getJsonObject(0)
        .getString("verdict")).isEqualTo("STALE");
    assertThat(beat(sql, null, claim).getJsonArray("lost")).hasSize(1);
  }

  @Test
  void the_grace_period_is_the_requests_or_the_templates_or_the_servers() {
    Dag.of("a").started();
    Dag.of("b").cancelGraceSeconds(7).started();
    Dag.of("c").cancelGraceSeconds(7).started();
    List<Claim> claims = worker.claim(3);
    for (Claim claim : claims) {
      String name = sql.text(
          "select n.name from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.workflow_step_uuid = ?",
          claim.step());
      sql.text(
          "select tasker.request_cancel(?, 'me', 'x', p_grace_seconds => ?, p_default_grace_seconds => 50)",
          claim.task(), name.equals("c") ? 3 : null);
      assertThat(forceInSeconds(claim)).as(name)
          .isEqualTo(name.equals("a") ? 50 : name.equals("b") ? 7 : 3);
    }
  }

  @Test
  void a_step_that_may_finish_is_not_asked_to_stop_until_a_second_request_says_so() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    cancelAs(task, "allow_finish", null, "leave");
    assertThat(sql.array("select tasker.get_cancel_requests(?)", steps(claim))).isEmpty();
    SqlWorker.open().at(Instant.now().plusSeconds(50)).advance();
    assertThatStep(claim.step()).isIn("in_progress");

    assertThat(cancelAs(task, "cancel_running", 10, "leave").getString("outcome"))
        .isEqualTo("already_requested");
    assertThat(forceInSeconds(claim)).isEqualTo(10);
    cancelAs(task, "allow_finish", null, "leave");
    cancelAs(task, "cancel_running", 500, "leave");
    assertThat(forceInSeconds(claim)).as("it is not taken back").isLessThanOrEqualTo(10);
    worker.complete(claim.success());
    assertThatTask(task).isIn("cancelled");
    assertThatStep(claim.step()).isIn("complete");
  }

  @Test
  void a_cancel_goes_through_to_children_and_their_children_if_it_says_so() {
    Dag.Task parent = Dag.linear(2).started();
    Dag.Task child = Dag.linear(2).option("parent_task_uuid", parent.uuid().toString()).started();
    Dag.Task grandchild = Dag.of("a").option("parent_task_uuid", child.uuid().toString()).started();
    Dag.Task ended = Dag.of("b").inNamespace("billing")
        .option("parent_task_uuid", parent.uuid().toString()).started();
    Dag.Task stranger = Dag.of("c").started();
    SqlWorker.open().forNamespaces("billing").runToTheEnd();

    cancelAs(parent, "cancel_running", null, "leave");
    assertThatTask(child).isIn("steps_in_process");
    JsonObject answer = cancelAs(parent, "cancel_running", null, "cancel");

    assertThat(answer.getString("outcome")).as("the parent had ended by then")
        .isEqualTo("already_ended");
    Dag.Task second = Dag.linear(2).option("parent_task_uuid", stranger.uuid().toString())
        .started();
    answer = cancelAs(child, "cancel_running", null, "cancel");
    assertThat(answer.getJsonArray("ended")).hasSize(2);
    assertThatTask(child).isIn("cancelled");
    assertThatTask(grandchild).isIn("cancelled");
    assertThatTask(ended).isIn("complete");
    assertThatTask(second).isIn("steps_in_process");
    assertThat(submission(child).getString("field")).as("no more children")
        .isEqualTo("parent_task_uuid");
    assertThat(submission(parent).getString("verdict")).as("cancelled, and its children left alone")
        .isEqualTo("created");
  }

  private JsonObject submission(Dag.Task parent) {
    Dag dag = Dag.of("late").option("parent_task_uuid", parent.uuid().toString());
    return sql
        .object("select tasker.submit_tasks(?)",
            jakarta.json.Json.createArrayBuilder().add(dag.request(dag.registered())).build())
        .getJsonArray("verdicts").getJsonObject(0);
  }

  @Test
  void a_parent_of_a_namespace_that_the_caller_may_not_name_is_as_one_that_is_not_there() {
    Dag.Task parent = Dag.linear(2).inNamespace("orders").started();
    Dag dag = Dag.of("late").inNamespace("billing");
    var plain = dag.request(dag.registered());
    java.util.function.BiFunction<String, String, JsonObject> submitted = (uuid,
        namespaces) -> sql
            .object("select tasker.submit_tasks(?)", jakarta.json.Json.createArrayBuilder()
                .add(jakarta.json.Json.createObjectBuilder(plain).add("parent_task_uuid", uuid)
                    .add("parent_namespaces",
                        jakarta.json.Json
                            .createArrayBuilder(java.util.List.of(namespaces.split(",")))))
                .build())
            .getJsonArray("verdicts").getJsonObject(0);

    JsonObject foreign = submitted.apply(parent.uuid().toString(), "billing");

    assertThat(foreign)
        .isEqualTo(submitted.apply(java.util.UUID.randomUUID().toString(), "billing"));
    assertThat(foreign.getString("field")).isEqualTo("parent_task_uuid");
    assertThat(submitted
        .apply(parent.uuid().toString().toUpperCase(java.util.Locale.ROOT), "billing,orders")
        .getString("verdict"))
        .isEqualTo("created");
    assertThat(
        sql.text("select count(*) from tasker.tasks where parent_task_uuid = ?", parent.uuid()))
        .isEqualTo("1");
  }

  @Test
  void naming_a_parent_that_the_caller_may_not_name_waits_for_nothing() {
    Dag.Task parent = Dag.linear(2).inNamespace("orders").started();
    Dag dag = Dag.of("late").inNamespace("billing");
    var request = jakarta.json.Json.createArrayBuilder()
        .add(jakarta.json.Json.createObjectBuilder(dag.request(dag.registered()))
            .add("parent_task_uuid", parent.uuid().toString())
            .add("parent_namespaces", jakarta.json.Json.createArrayBuilder().add("billing")))
        .build();
    try (Sql holding = Sql.session()) {
      holding.text("select 1 from tasker.tasks where task_uuid = ? for update", parent.uuid());

      assertThat(sql.object("select tasker.submit_tasks(?)", request).getJsonArray("verdicts")
          .getJsonObject(0).getString("verdict"))
          .isEqualTo("invalid");
    }
  }

  @Test
  void a_child_that_is_being_submitted_when_its_parent_is_cancelled_is_cancelled_too_or_refused() {
    Dag.Task parent = Dag.linear(2).started();
    worker.claimOne();
    Dag dag = Dag.of("late").option("parent_task_uuid", parent.uuid().toString());
    var request = jakarta.json.Json.createArrayBuilder().add(dag.request(dag.registered())).build();
    try (Sql submitting = Sql.session()) {
      submitting.object("select tasker.submit_tasks(?)", request);
      var cancel = Sql.open()
          .later(session -> session.object(
              "select tasker.request_cancel(?, 'me', 'x', p_children => 'cancel')", parent.uuid()));
      cancel.untilItWaits();
      submitting.commit();
      assertThat(cancel.get().getJsonArray("ended")).hasSize(1);
    }
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'cancelled'"))
        .isEqualTo(1);
    assertThat(submission(parent).getString("verdict")).isEqualTo("invalid");
    assertThat(submission(new Dag.Task(java.util.UUID.randomUUID(), parent.template()))
        .getString("message")).contains("no such task");
  }
}
