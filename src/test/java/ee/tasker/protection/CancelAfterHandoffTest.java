package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What is handed off is the worker's that claims it: a cancel revokes an offer and asks a running
 * step.
 */
@ProtectionTest
class CancelAfterHandoffTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static String cancel(Sql session, Dag.Task task, String policy) {
    JsonObject answer = session.object(
        "select tasker.request_cancel(?, 'me', 'no longer needed', ?)", task.uuid(), policy);
    return answer.getString("outcome") + " " + answer.getString("state");
  }

  private JsonArray toldToStop(Claim... claims) {
    var steps = Json.createArrayBuilder();
    for (Claim claim : claims) {
      steps.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("handoff",
          claim.handoff()));
    }
    return sql
        .object("select tasker.heartbeat(?, 'test', 'worker', 10, 1, ?)", worker.uuid(),
            steps.build())
        .getJsonArray("cancel_requested");
  }

  @Test
  void H1_offer_is_revoked_and_its_late_delivery_runs_nothing() {
    Dag.Task task = Dag.of("a").started();

    assertThat(cancel(sql, task, "cancel_running")).isEqualTo("requested cancelled");

    assertThatStep(task.step("a")).isIn("cancelled").hasHandoffs(1).hasAttempts(0).went("pending",
        "enqueued", "cancelled");
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("its message went with it").isZero();
    sql.text(
        "select pgmq.send('worker_orders_queue'::text, jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1), "
            + "'{\"claim_order\": 1}'::jsonb)",
        task.step("a"), task.uuid());
    assertThat(worker.claim(10)).as("a delivery that comes late").isEmpty();
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("it was acknowledged").isZero();
  }

  @Test
  void H1_cancel_races_the_claim_and_one_of_them_wins_each_of_400_rounds() {
    int rounds = 400;
    List<Dag.Task> tasks = Dag.of("a").started(rounds);
    sql.run("delete from pgmq.q_worker_orders_queue");
    List<Result> running = new ArrayList<>();
    try (Race race = new Race(2)) {
      for (Dag.Task task : tasks) {
        sql.text(
            "select pgmq.send('worker_orders_queue'::text, jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid, 'handoff', 1), "
                + "'{\"claim_order\": 1}'::jsonb) from tasker.workflow_steps s where s.task_uuid = ?",
            task.uuid());
        List<Object> outcomes = race.run(
            session -> cancel(session, task, "cancel_running"),
            session -> SqlWorker.in(session).claim(1));
        List<?> claims = (List<?>) outcomes.get(1);

        assertThat(outcomes.get(0))
            .isEqualTo(claims.isEmpty() ? "requested cancelled" : "requested steps_in_process");
        claims.forEach(claim -> running.add(((Claim) claim).cancelled()));
      }
    }

    Map<String, Long> paths = CancelBeforeHandoffTest.paths(sql);
    System.out.println("cancel against claim: " + paths);
    assertThat(paths.keySet()).isSubsetOf("pending enqueued cancelled",
        "pending enqueued in_progress");
    assertThat(paths.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(rounds);
    assertThat(paths.getOrDefault("pending enqueued in_progress", 0L))
        .as("steps whose user code runs").isEqualTo(running.size());
    worker.complete(0, running);
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'cancelled'"))
        .isEqualTo(rounds);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_step_transitions where from_state = 'enqueued'"))
        .as("winners")
        .isEqualTo(rounds);
  }

  @Test
  void H2_running_step_is_asked_and_ends_itself_with_its_partial_result() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();

    assertThat(cancel(sql, task, "cancel_running")).isEqualTo("requested steps_in_process");
    assertThatStep(claim.step()).isIn("in_progress");
    assertThat(
        sql.texts(
            "select to_state || ' ' || actor from tasker.workflow_step_transitions where workflow_step_uuid = ? order by sort_key",
            claim.step()))
        .as("the request moved nothing of the running step")
        .containsExactly("pending orchestrator", "enqueued orchestrator", "in_progress worker");
    assertThat(sql.text(
        "select concat_ws(' ', cancel_requested_by, cancel_reason, cancel_requested_at is not null) from tasker.tasks"))
        .isEqualTo("me no longer needed t");
    assertThat(toldToStop(claim)).hasSize(1);

    JsonObject partial = Json.createObjectBuilder(claim.cancelled().json())
        .add("result", Json.createObjectBuilder().add("done", 3))
        .build();
    JsonObject answer = worker.complete(new Result(partial));

    assertThat(answer.getJsonArray("ended")).hasSize(1);
    assertThatStep(claim.step()).isIn("cancelled").went("pending", "enqueued", "in_progress",
        "cancelled");
    assertThat(sql.text(
        "select actor from tasker.workflow_step_transitions where workflow_step_uuid = ? and to_state = 'cancelled'",
        claim.step())).isEqualTo("worker");
    assertThat(sql.text(
        "select result ->> 'done' from tasker.workflow_step_result_audit where workflow_step_uuid = ?",
        claim.step()))
        .isEqualTo("3");
  }

  @Test
  void H3_step_that_does_not_stop_is_ended_when_its_grace_is_over_and_its_late_result_is_stale() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    Instant asked = sql.instant("select clock_timestamp()");
    sql.text(
        "select tasker.request_cancel(?, 'me', 'no longer needed', p_grace_seconds => 10, p_now => ?)",
        task.uuid(), asked);

    worker.at(asked.plusMillis(9_999)).advance();
    assertThatStep(claim.step()).isIn("in_progress");
    worker.at(asked.plusSeconds(10)).advance();

    assertThatStep(claim.step()).isIn("cancelled").went("pending", "enqueued", "in_progress",
        "cancelled");
    assertThat(sql.text(
        "select concat_ws(' ', actor, metadata ->> 'forced') from tasker.workflow_step_transitions where workflow_step_uuid = ? and to_state = 'cancelled'",
        claim.step())).isEqualTo("recovery true");
    assertThat(
        sql.text("select lease_expires_at from tasker.workflow_steps where workflow_step_uuid = ?",
            claim.step()))
        .as("its lease is free").isNull();
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
    // The thread that could not be killed comes to its end after all.
    assertThat(worker.at(null).complete(claim.success()).getJsonArray("refused").getJsonObject(0)
        .getString("verdict")).isEqualTo("STALE");
    assertThatStep(claim.step()).isIn("cancelled");
  }

  @Test
  void H4_successors_are_skipped_and_the_policy_decides_about_what_runs() {
    for (String policy : List.of("allow_finish", "cancel_running")) {
      Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("b").step("d")
          .started();
      List<Claim> claims = worker.claim(2);
      Claim a = claims.stream().filter(claim -> claim.step().equals(task.step("a"))).findFirst()
          .orElseThrow();
      Claim d = claims.stream().filter(claim -> claim.step().equals(task.step("d"))).findFirst()
          .orElseThrow();

      cancel(sql, task, policy);
      assertThat(toldToStop(a, d)).hasSize(policy.equals("cancel_running") ? 2 : 0);
      worker.complete(a.success());
      assertThatTask(task).isIn("steps_in_process");
      worker.complete(policy.equals("allow_finish") ? d.success() : d.cancelled());

      assertThatTask(task).isIn("cancelled").hasNoWakeUp();
      assertThatStep(task.step("a")).isIn("complete");
      assertThatStep(task.step("d")).isIn(policy.equals("allow_finish") ? "complete" : "cancelled");
      for (String successor : List.of("b", "c")) {
        assertThatStep(task.step(successor)).isIn("cancelled").hasAttempts(0).went("pending",
            "cancelled");
      }
    }
  }

  @Test
  void H5_cancel_races_the_completion_and_one_of_them_wins_each_of_400_rounds() {
    int rounds = 400;
    Dag.of("a").started(rounds);
    List<Claim> claims = worker.claim(rounds);
    assertThat(claims).hasSize(rounds);
    int completed = 0;
    try (Race race = new Race(2)) {
      for (Claim claim : claims) {
        List<Object> outcomes = race.run(
            session -> cancel(session, new Dag.Task(claim.task(), null), "cancel_running"),
            session -> SqlWorker.in(session).complete(claim.success("{\"kept\": true}")));

        assertThat(outcomes.get(0)).isIn("already_ended complete", "requested steps_in_process");
        completed += outcomes.get(0).equals("already_ended complete") ? 1 : 0;
        // The result is accepted either way, and the task's state shows which came first.
        assertThat(((JsonObject) outcomes.get(1)).getJsonArray("refused")).isEmpty();
        assertThat(((JsonObject) outcomes.get(1)).getJsonArray("ended")).as("events of its end")
            .hasSize(1);
      }
    }

    System.out
        .println("cancel against completion: " + completed + " tasks complete, "
            + (rounds - completed) + " cancelled with their result");
    assertThat(CancelBeforeHandoffTest.paths(sql))
        .isEqualTo(Map.of("pending enqueued in_progress enqueued_for_orchestration complete",
            (long) rounds));
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(completed);
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'cancelled'"))
        .isEqualTo(rounds - completed);
    assertThat(sql.number(
        "select count(*) from tasker.task_transitions where to_state in ('complete', 'cancelled')"))
        .as("ends")
        .isEqualTo(rounds);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_step_result_audit where result = '{\"kept\": true}'"))
        .isEqualTo(rounds);
    // Nothing overwrites it later.
    assertThat(
        worker.complete(0, claims.stream().map(Claim::cancelled).toList()).getJsonArray("refused"))
        .hasSize(rounds);
  }

  @Test
  void H6_worker_that_died_during_a_cancel_leaves_a_cancelled_step_and_a_finished_task() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    cancel(sql, task, "cancel_running");

    worker.at(Instant.now().plusSeconds(61)).advance();

    assertThatStep(claim.step()).isIn("cancelled").hasAttempts(1).went("pending", "enqueued",
        "in_progress", "cancelled");
    assertThat(sql.text(
        "select actor from tasker.workflow_step_transitions where workflow_step_uuid = ? and to_state = 'cancelled'",
        claim.step())).isEqualTo("recovery");
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
  }

  @Test
  void H7_request_outlives_the_worker_that_was_to_hear_of_it() {
    Dag.Task offered = Dag.of("a").started();
    Dag.Task claimed = Dag.of("a").started();
    // Two workers took one offer each; then they restart, and what they knew in memory is gone.
    Claim lost = worker.claim(10).stream().filter(claim -> claim.task().equals(claimed.uuid()))
        .findFirst().orElseThrow();
    sql.text(
        "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid, 'handoff', 1)), null) "
            + "from tasker.workflow_steps s where s.task_uuid = ?",
        offered.uuid());
    cancel(sql, offered, "cancel_running");
    cancel(sql, claimed, "cancel_running");

    try (SqlWorker restarted = SqlWorker.open()) {
      assertThat(restarted.claim(10)).as("a claim after the request").isEmpty();
      // A restarted worker that kept its claims is told again, from the stored request.
      assertThat(toldToStop(lost)).hasSize(1);
      restarted.complete(lost.cancelled());
    }
    assertThatTask(offered).isIn("cancelled");
    assertThatTask(claimed).isIn("cancelled");
  }
}
