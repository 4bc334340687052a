package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Poison;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Half of something is nothing: state and message are of one transaction, and a consumer that sees
 * a message twice does the work once.
 */
@ProtectionTest
class PartialFailureTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private long notices() {
    return sql.number("select count(*) from pgmq.q_orchestration_step_results");
  }

  private static int process(Sql session) {
    return session.object("select tasker.process_step_results(?)", UUID.randomUUID())
        .getInt("messages");
  }

  @Test
  void F2_crash_before_the_commit_leaves_neither_state_nor_message_and_after_it_both() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    try (CrashPoints crash = new CrashPoints()) {
      // The worker's side.
      int points = crash.killAtEach(session -> SqlWorker.in(session).submitResults(claim.success()),
          () -> {
            assertThatStep(claim.step()).isIn("in_progress");
            assertThat(notices()).isZero();
          });
      assertThatStep(claim.step()).isIn("enqueued_for_orchestration");
      assertThat(notices()).isEqualTo(1);

      // The orchestrator's side.
      points += crash.killAtEach(session -> assertThat(process(session)).isEqualTo(1), () -> {
        assertThatStep(claim.step()).isIn("enqueued_for_orchestration");
        assertThat(notices()).as("the message is there again for the next orchestrator")
            .isEqualTo(1);
        assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isZero();
      });
      System.out.println("F2: killed at " + points + " points");
      assertThat(points).isGreaterThan(10);
    }
    assertThatStep(task.step("s2")).isIn("enqueued").hasAttempts(1);
    assertThat(notices()).isZero();
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("effective deliveries").isEqualTo(1);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void F3_message_that_was_worked_on_but_not_taken_off_does_nothing_the_second_time() {
    Dag.Task task = Dag.linear(2).started();
    worker.submitResults(worker.claimOne().success());
    // The orchestrator reads the message, does the work, and its deletion gets lost.
    List<String> message = sql
        .texts("select message from pgmq.read('orchestration_step_results', 0, 10)");
    process(sql);
    sql.text("select pgmq.send('orchestration_step_results'::text, ?::jsonb)", message.get(0));

    assertThat(process(sql)).isEqualTo(1);

    assertThatStep(task.step("s2")).isIn("enqueued").hasAttempts(1).went("pending", "enqueued");
    assertThat(notices()).isZero();
    assertThatTask(task).counts(1, 1, 0, 0);
  }

  @Test
  void F5_message_that_always_fails_is_parked_with_its_cause_can_be_sent_again_and_its_step_still_resolves() {
    try (Poison poison = new Poison()) {
      messageThatAlwaysFails(poison);
    }
  }

  private void messageThatAlwaysFails(Poison poison) {
    Dag.Task poisoned = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    // A result that no orchestrator can process.
    worker.submitResults(claim.retryableFailure());
    poison.into(claim.step());
    Dag.Task healthy = Dag.of("a").started();
    worker.submitResults(worker.claimOne().success());

    for (int delivery = 1; delivery <= 3; delivery++) {
      assertThat(sql.number("select count(*) from tasker.dead_messages"))
          .as("parked before the delivery limit").isZero();
      sql.run("update pgmq.q_orchestration_step_results set vt = now()");
      sql.object("select tasker.process_step_results(?, p_delivery_limit => 3)", UUID.randomUUID());
      assertThatTask(healthy).isIn("complete");
    }

    assertThat(notices()).isZero();
    JsonObject parked = sql.object("select tasker.list_dead_messages('orchestration_step_results')")
        .getJsonArray("messages")
        .getJsonObject(0);
    assertThat(parked.getString("cause")).contains("could not be processed");
    assertThat(parked.getJsonObject("message").getString("step_uuid"))
        .isEqualTo(claim.step().toString());
    assertThatStep(claim.step()).isIn("error");
    assertThat(sql.text(
        "select metadata ->> 'reason' || ' ' || (metadata ->> 'sqlstate') from tasker.workflow_step_transitions where to_state = 'error'"))
        .isEqualTo("cannot_be_processed 22P02");
    assertThatTask(poisoned).isIn("blocked_by_failures").hasNoWakeUp();

    // Sent again, it is an ordinary notice of a step that is settled by now.
    UUID message = UUID.fromString(parked.getString("dead_message_uuid"));
    assertThat(sql.text("select tasker.replay_dead_message(?, 'ann') ->> 'outcome'", message))
        .isEqualTo("done");
    assertThat(sql.text("select tasker.replay_dead_message(?, 'ann') ->> 'outcome'", message))
        .as("once").isEqualTo("already");
    assertThat(process(sql)).isEqualTo(1);
    assertThat(notices()).isZero();
    assertThatTask(poisoned).isIn("blocked_by_failures");
  }

  @Test
  void F6_error_between_the_state_and_the_message_undoes_the_state() {
    Dag.Task task = Dag.linear(2).started();
    Claim claim = worker.claimOne();
    sql.run(
        "create function pg_temp.refuse() returns trigger language plpgsql as $$ begin raise exception 'the queue is broken'; end $$");
    for (String queue : List.of("q_worker_orders_queue", "q_orchestration_step_results")) {
      sql.run("create trigger broken before insert on pgmq." + queue
          + " for each row execute function pg_temp.refuse()");
    }
    String before = sql
        .text(
            "select string_agg(s::text, ';' order by s::text) || (select t::text from tasker.tasks t) from tasker.workflow_steps s");

    assertThatThrownBy(() -> worker.complete(claim.success()))
        .hasMessageContaining("the queue is broken");
    assertThatThrownBy(() -> worker.submitResults(claim.success()))
        .hasMessageContaining("the queue is broken");

    assertThat(
        sql.text(
            "select string_agg(s::text, ';' order by s::text) || (select t::text from tasker.tasks t) from tasker.workflow_steps s"))
        .isEqualTo(before);
    assertThat(sql.number("select count(*) from tasker.workflow_step_result_audit")).isZero();
    for (String queue : List.of("q_worker_orders_queue", "q_orchestration_step_results")) {
      sql.run("drop trigger broken on pgmq." + queue);
    }
    worker.complete(claim.success());
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }
}
