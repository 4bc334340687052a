package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"get_unserved_steps", "withdraw_messages"})
class RecoverUnclaimedOffersTest {
  private static final String ANY = "{\"handlers\": [\"test.handler\"]}";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final UUID server = UUID.randomUUID();
  /** Of the first round: whatever a test needs before may take long. */
  private Instant start;

  /**
   * At that second the server sends a heartbeat, then one round runs with 300 s for unclaimed and
   * the given limit for unserved offers.
   */
  private void round(int seconds, String report, int running, int unservedSeconds) {
    if (start == null) {
      start = Instant.now();
    }
    Instant now = start.plusSeconds(seconds);
    if (report != null) {
      sql.text("select tasker.heartbeat(?, 'one', 'worker', 2, ?, '[]', 60, ?, ?::jsonb)", server,
          running, now, report);
    }
    sql.run("update tasker.task_wakeups set wake_at = ?", now);
    sql.text(
        "select tasker.advance_due_tasks(?, 1000, p_now => ?, p_claim_seconds => 300, p_unserved_seconds => ?)",
        UUID.randomUUID(), now, unservedSeconds);
  }

  private void round(int seconds) {
    round(seconds, ANY, 0, 0);
  }

  private String watch() {
    return sql.text("select string_agg(why, ',') from tasker.unclaimed_offers");
  }

  @Test
  void an_offer_that_a_free_hand_could_take_is_taken_back_when_the_limit_is_reached_and_not_before() {
    Dag.Task task = Dag.linear(2).started();
    round(10);
    assertThat(watch()).isEqualTo("unclaimed");
    assertThatTask(task).isLookedAtAbout(start.plusSeconds(40));
    round(309);
    assertThatStep(task.step("s1")).isIn("enqueued").hasAttempts(1);

    round(310);

    assertThatStep(task.step("s1")).isIn("enqueued").hasAttempts(2).went("pending", "enqueued",
        "pending", "enqueued");
    assertThat(
        sql.text(
            "select actor || ' ' || (metadata ->> 'reason') from tasker.workflow_step_transitions where from_state = 'enqueued'"))
        .isEqualTo("recovery unclaimed");
    assertThat(watch()).isNull();
    assertThat(worker.runToTheEnd()).hasSize(2);
    assertThatTask(task).isIn("complete");
  }

  @Test
  void who_took_the_message_of_the_attempt_before_comes_too_late() {
    Dag.Task task = Dag.of("a").started();
    String first = sql.text("select message from pgmq.q_worker_orders_queue");
    round(10);
    round(310);
    sql.run("delete from pgmq.q_worker_orders_queue");
    sql.run("select pgmq.send('worker_orders_queue', ?::jsonb, '{\"claim_order\": 1}'::jsonb)",
        first);
    assertThat(worker.claim(10)).isEmpty();

    round(320);
    assertThat(worker.claimOne().attempt()).isEqualTo(2);
    assertThatStep(task.step("a")).isIn("in_progress");
  }

  @Test
  void an_offer_waits_without_limit_while_all_permits_are_taken() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    for (int seconds = 10; seconds < 7200; seconds += 290) {
      round(seconds, ANY, 2, 60);
      assertThat(watch()).isNull();
    }
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(1);
  }

  @Test
  void the_limit_starts_anew_when_permits_were_taken_in_between() {
    Dag.Task task = Dag.of("a").started();
    round(10);
    round(200, ANY, 2, 0);
    round(310);
    assertThatStep(task.step("a")).hasAttempts(1);
    round(609);
    assertThatStep(task.step("a")).hasAttempts(1);
    round(610);
    assertThatStep(task.step("a")).hasAttempts(2);
  }

  @Test
  void offers_that_wait_behind_others_are_not_counted() {
    Dag.of("first").priority(10).started();
    Dag.of("second").priority(10).started();
    Dag.Task third = Dag.of("third").started();
    round(10);
    assertThat(sql.texts("select task_uuid from tasker.unclaimed_offers")).hasSize(2)
        .doesNotContain(third.uuid().toString());
    round(310);
    assertThatStep(third.step("third")).hasAttempts(1);
  }

  @Test
  void the_last_attempt_and_a_step_that_is_to_be_abandoned_end_in_error() {
    Dag.Task last = Dag.of("a").maxAttempts(1).started();
    Dag.Task abandoned = Dag.of("b").abandonedWhenLost().started();
    round(10);
    round(310);
    for (Dag.Task task : new Dag.Task[]{last, abandoned}) {
      assertThatTask(task).isIn("blocked_by_failures").counts(1, 0, 1, 0)
          .hasOpenDeadLetter("worker_unavailable");
    }
    assertThat(sql.texts("select error ->> 'type' from tasker.workflow_step_result_audit"))
        .containsExactly("unclaimed", "unclaimed");
  }

  @Test
  void an_unserved_offer_waits_without_limit_unless_there_is_one() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    round(10, null, 0, 0);
    assertThat(watch()).isEqualTo("unserved");
    round(100_000, null, 0, 0);
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(1);

    round(100_060, null, 0, 3600);
    assertThatStep(task.step("a")).isIn("error");
    assertThat(sql.text("select error ->> 'type' from tasker.workflow_step_result_audit"))
        .isEqualTo("worker_unavailable");
    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("worker_unavailable");
  }

  @Test
  void an_unserved_step_waits_for_the_time_of_its_template_is_reported_and_then_becomes_a_dead_letter() {
    Dag.Task task = Dag.linear(2).lifecycle("unserved_seconds", 600).started();
    Dag.Task patient = Dag.of("b").lifecycle("unserved_seconds", 0).started();
    round(10, "{\"handlers\": [\"another\"]}", 0, 60);

    assertThat(sql.texts("select handler || ' ' || steps from tasker.get_unserved_steps()"))
        .containsExactly("test.handler 2");
    assertThat(sql.object("select tasker.get_metrics_document()").getInt("unserved_steps"))
        .isEqualTo(2);
    assertThat(sql.object("select tasker.get_installation_status()").getInt("unserved_steps"))
        .isEqualTo(2);
    assertThat(sql.object("select tasker.get_server_documents()").getJsonArray("unserved")
        .getJsonObject(0).getInt("steps")).isEqualTo(2);
    assertThat(sql.text(
        "select cause || ': ' || sentence from tasker.explain_waiting(?, ?) where step_name = 's1'",
        task.uuid(), start.plusSeconds(11)))
        .startsWith("no_handler: has been offered since ")
        .contains("no live worker of namespace orders has handler test.handler")
        .contains("it fails as worker_unavailable at ");
    round(609, "{\"handlers\": [\"another\"]}", 0, 60);
    assertThatStep(task.step("s1")).isIn("enqueued").hasAttempts(1);

    round(610, "{\"handlers\": [\"another\"]}", 0, 60);

    assertThatStep(task.step("s1")).isIn("error").hasAttempts(1).went("pending", "enqueued",
        "error");
    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("worker_unavailable");
    assertThat(sql.text("select error ->> 'message' from tasker.workflow_step_result_audit"))
        .contains("no live worker had handler test.handler");
    assertThatStep(patient.step("b")).isIn("enqueued").hasAttempts(1);
    assertThat(sql.texts("select message ->> 'step_uuid' from pgmq.q_worker_orders_queue"))
        .as("no worker would read the other message")
        .containsExactly(patient.step("b").toString());
  }

  @Test
  void an_unserved_step_runs_as_soon_as_a_server_starts_with_its_handler_and_is_no_longer_counted() {
    Dag.Task task = Dag.of("a").started();
    round(10, "{\"handlers\": [\"another\"]}", 0, 86_400);
    assertThat(sql.number("select sum(steps) from tasker.get_unserved_steps()")).isEqualTo(1);

    sql.text("select tasker.heartbeat(?, 'two', 'worker', 2, 0, '[]', 60, ?, ?::jsonb)",
        worker.uuid(), start.plusSeconds(3600), ANY);

    worker.complete(worker.claimOne().success());
    assertThat(sql.texts("select handler from tasker.get_unserved_steps()")).isEmpty();
    assertThatTask(task).isIn("complete");
    assertThatStep(task.step("a")).hasAttempts(1);
  }

  @Test
  void offers_that_no_worker_serves_do_not_hide_one_that_no_worker_claims() {
    for (int i = 0; i < 5; i++) {
      Dag.of("x").handler("nowhere").started();
    }
    Dag.Task task = Dag.of("a").started();
    round(10, ANY, 0, 86_400);
    assertThat(sql.text("select why from tasker.unclaimed_offers where task_uuid = ?", task.uuid()))
        .isEqualTo("unclaimed");
    round(310, ANY, 0, 86_400);
    assertThatStep(task.step("a")).hasAttempts(2);
  }

  @Test
  void a_server_counts_only_if_it_lives_takes_steps_of_the_namespace_and_knows_the_handler() {
    Dag.of("a").started();
    for (String report : new String[]{"{\"handlers\": [\"another\"]}",
      "{\"handlers\": [\"test.handler\"], \"namespaces\": [\"billing\"]}",
      "{\"handlers\": [\"test.handler\"], \"state\": \"draining\"}"}) {
      round(10, report, 0, 0);
      assertThat(watch()).as(report).isEqualTo("unserved");
    }
    round(20,
        "{\"handlers\": [\"test.handler\"], \"namespaces\": [\"orders\"], \"state\": \"degraded\"}",
        0, 0);
    assertThat(watch()).isEqualTo("unclaimed");
    round(90, null, 0, 0);
    assertThat(watch()).as("three intervals after the last heartbeat").isEqualTo("unserved");
    round(100, "{}", 0, 0);
    assertThat(watch()).as("a server that does not tell its handlers").isEqualTo("unclaimed");
  }

  @Test
  void a_claim_that_is_under_way_wins_and_the_round_changes_nothing() {
    Dag.Task task = Dag.of("a").started();
    round(10);
    try (Sql session = Sql.session()) {
      Claim claim = SqlWorker.in(session).claimOne();
      round(310);
      session.commit();
      assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
      worker.complete(claim.success());
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_queue_that_was_dropped_is_made_again() {
    Dag.Task task = Dag.of("a").started();
    sql.run("select pgmq.drop_queue('worker_orders_queue')");
    round(40);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_message_lost_among_others_of_its_task_is_the_only_one_sent_again() {
    Dag.Task task = Dag.parallel(5).started();
    sql.run("delete from pgmq.q_worker_orders_queue where message ->> 'step_uuid' = ?",
        task.step("p3").toString());
    round(40);
    assertThat(sql.texts("select message ->> 'step_uuid' from pgmq.q_worker_orders_queue"))
        .hasSize(5).doesNotHaveDuplicates()
        .contains(task.step("p3").toString());
  }
}
