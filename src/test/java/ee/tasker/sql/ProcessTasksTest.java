package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Poison;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"record_task_fault", "park_messages", "replay_dead_messages",
  "list_dead_messages",
  "process_step_results", "take_messages"})
class ProcessTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Poison poison;

  @BeforeAll
  static void refusePoison() {
    poison = new Poison();
  }

  @AfterAll
  static void refuseNoMore() {
    poison.close();
  }

  /**
   * Submits, as a server with the worker's role only, something that no orchestrator can settle.
   */
  private void submitPoison(Claim claim, String outcome) {
    poison.into(claim.step());
    String result = "[{\"step_uuid\": \"" + claim.step() + "\", \"task_uuid\": \"" + claim.task()
        + "\", \"handoff\": " + claim.handoff()
        + ", \"outcome\": \"" + outcome
        + "\", \"error\": {\"type\": \"Odd\", \"message\": \"no number\"}}]";
    sql.text("select tasker.complete_steps(?::jsonb, ?, p_settle => false)", result, worker.uuid());
  }

  private JsonObject process(int deliveryLimit) {
    sql.run("update pgmq.q_orchestration_step_results set vt = now()");
    return sql.object("select tasker.process_step_results(?, p_delivery_limit => ?)",
        UUID.randomUUID(), deliveryLimit);
  }

  private long queued() {
    return sql.number("select count(*) from pgmq.q_orchestration_step_results");
  }

  @Test
  void a_poisonous_result_does_not_hold_back_its_batch_and_its_task_comes_to_rest() {
    List<Dag.Task> tasks = new ArrayList<>(Dag.linear(2).started(7));
    List<Claim> claims = worker.claim(7);
    UUID poisoned = claims.get(3).task();
    for (Claim claim : claims) {
      if (claim.task().equals(poisoned)) {
        submitPoison(claim, "retryable_failure");
      } else {
        worker.submitResults(claim.success());
      }
    }
    assertThat(process(3).getInt("messages")).isEqualTo(7);
    for (Dag.Task task : tasks) {
      assertThatStep(task.step("s1"))
          .isIn(task.uuid().equals(poisoned) ? "enqueued_as_error_for_orchestration" : "complete");
    }
    assertThat(queued()).as("only the poisonous one is left").isEqualTo(1);
    assertThat(sql.text("select faults || ' ' || sqlstate from tasker.task_faults"))
        .isEqualTo("1 22P02");

    process(3);
    assertThatTask(poisoned).isIn("steps_in_process");
    process(3);

    assertThatTask(poisoned).isIn("blocked_by_failures").hasOpenDeadLetter("max_retries_exceeded");
    assertThat(
        sql.text(
            "select actor || ' ' || (metadata ->> 'reason') || ' ' || (metadata ->> 'faults') from tasker.workflow_step_transitions "
                + "where task_uuid = ? and to_state = 'error'",
            poisoned))
        .isEqualTo("orchestrator cannot_be_processed 3");
    assertThat(queued()).isZero();
    JsonObject parked = sql.object("select tasker.list_dead_messages()").getJsonArray("messages")
        .getJsonObject(0);
    assertThat(parked.getString("queue_name")).isEqualTo("orchestration_step_results");
    assertThat(parked.getJsonObject("message").getString("task_uuid"))
        .isEqualTo(poisoned.toString());
    assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
  }

  @Test
  void a_success_that_cannot_be_processed_ends_its_step_too_and_its_siblings_go_on() {
    Dag.Task task = Dag.parallel(2).started();
    List<Claim> claims = worker.claim(2);
    submitPoison(claims.get(0), "success");
    worker.submitResults(claims.get(1).success());
    process(2);
    assertThatStep(claims.get(1).step()).isIn("enqueued_for_orchestration");

    process(2);

    assertThatStep(claims.get(0).step()).isIn("error");
    assertThatStep(claims.get(1).step()).isIn("complete");
    assertThatTask(task).isIn("blocked_by_failures").counts(1, 0, 1, 0);
  }

  @Test
  void the_safety_net_gets_past_a_poisonous_task_and_tries_it_ever_more_rarely() {
    Dag.Task poisoned = Dag.of("a").started();
    submitPoison(worker.claimOne(), "retryable_failure");
    sql.run("delete from pgmq.q_orchestration_step_results");
    List<Dag.Task> others = List.of(Dag.of("b").submitted(), Dag.of("c").submitted());
    Instant now = Instant.now().plusSeconds(40);
    for (int fault = 1, wait = 30; fault <= 4; fault++, wait *= 2) {
      worker.at(now).advance();
      assertThatTask(poisoned).isIn("steps_in_process").isLookedAtAbout(now.plusSeconds(wait));
      now = now.plusSeconds(wait + 1);
    }
    others.forEach(task -> assertThatTask(task).isIn("steps_in_process"));
    worker.at(now).advance();
    assertThatTask(poisoned).isIn("blocked_by_failures");
  }

  @Test
  void a_task_that_no_step_is_to_blame_for_gets_a_dead_letter_and_goes_on_once_the_cause_is_gone() {
    Dag.Task task = Dag.of("a").submitted();
    sql.run(
        "alter table tasker.workflow_steps add constraint out_of_order check (state <> 'enqueued') not valid");
    try {
      for (int fault = 1; fault <= 5; fault++) {
        sql.run("update tasker.task_wakeups set wake_at = now()");
        worker.advance();
      }
      assertThat(sql.text(
          "select faults || ' ' || sqlstate || ' ' || (parked_at is not null) from tasker.task_faults"))
          .isEqualTo("5 23514 true");
      assertThatTask(task).isIn("pending").hasOpenDeadLetter("permanent_failure")
          .isLookedAtAbout(Instant.now().plusSeconds(3600));
    } finally {
      sql.run("alter table tasker.workflow_steps drop constraint out_of_order");
    }
    worker.at(Instant.now().plusSeconds(3601)).advance();
    worker.at(null).runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
  }

  @Test
  void what_passes_by_itself_is_no_fault_of_the_task() {
    Dag.Task task = Dag.of("a").submitted();
    try (Sql other = Sql.session(); Sql session = Sql.session()) {
      other.text("select 1 from tasker.tasks where task_uuid = ? for update", task.uuid());
      session.run("set local lock_timeout = '50ms'");
      assertThatDatabaseRefuses("55P03",
          () -> session.text(
              "select tasker.process_tasks(array[?]::uuid[], null, 0, 60, null, null, 5)",
              task.uuid()));
    }
    assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
  }

  @Test
  void a_deadlock_is_raised_to_the_caller_and_is_no_fault_of_a_task() {
    List<Dag.Task> tasks = Dag.of("a").submitted(2);
    List<UUID> uuids = tasks.stream().map(Dag.Task::uuid)
        .sorted(java.util.Comparator.comparing(UUID::toString)).toList();
    try (Sql other = Sql.session(); Sql session = Sql.session()) {
      // The other session locks in the wrong order: it holds the second task and requests the
      // first; the one that waits longer is the victim.
      other.run("set local deadlock_timeout = '30s'");
      session.run("set local deadlock_timeout = '100ms'");
      other.text("select 1 from tasker.tasks where task_uuid = ? for update", uuids.get(1));
      session.text("select 1 from tasker.tasks where task_uuid = ? for update", uuids.get(0));
      Sql.Later<String> waiting = other
          .later(mine -> mine.text("select 1 from tasker.tasks where task_uuid = ? for update",
              uuids.get(0)))
          .untilItWaits();

      assertThatDatabaseRefuses("40P01",
          () -> session.text("select tasker.process_tasks(?, null, 0, 60, null, null, 5)", uuids));

      session.rollback();
      assertThat(waiting.get()).isEqualTo("1");
    }
    assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
    worker.advance();
    tasks.forEach(task -> assertThatTask(task).isIn("steps_in_process"));
  }

  @Test
  void messages_that_name_no_task_are_parked_at_once_and_can_be_sent_again_once() {
    Dag.Task task = Dag.linear(2).started();
    worker.submitResults(worker.claimOne().success());
    sql.run(
        "select pgmq.send('orchestration_step_results', '{\"task_uuid\": \"nonsense\"}'::jsonb)");
    sql.run("select pgmq.send('orchestration_step_results', '[]'::jsonb)");

    assertThat(process(5).getInt("messages")).isEqualTo(3);

    assertThatStep(task.step("s1")).isIn("complete");
    assertThat(queued()).isZero();
    JsonObject first = sql
        .object("select tasker.list_dead_messages('orchestration_step_results', p_limit => 1)");
    assertThat(first.getJsonArray("messages").getJsonObject(0).getString("cause"))
        .isEqualTo("names no task");
    UUID cursor = UUID.fromString(first.getString("next"));
    JsonObject second = sql.object("select tasker.list_dead_messages(null, false, 1, ?)", cursor);
    assertThat(second.isNull("next")).isTrue();
    UUID parked = UUID.fromString(
        second.getJsonArray("messages").getJsonObject(0).getString("dead_message_uuid"));

    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.replay_dead_messages(?, ' ')", List.of(parked)));
    UUID unknown = UUID.randomUUID();
    JsonObject refused = sql.object("select tasker.replay_dead_messages(?, 'ann')",
        List.of(parked, unknown));
    assertThat(refused.getString("code")).isEqualTo("dead-message-not-found");
    assertThat(refused.getString("message")).contains(unknown.toString())
        .doesNotContain(parked.toString());
    assertThat(queued()).as("all of them or none").isZero();
    JsonObject replayed = sql.object("select tasker.replay_dead_messages(?, 'ann')",
        List.of(parked));
    assertThat(replayed.getString("outcome") + " " + replayed.getJsonArray("replayed"))
        .isEqualTo("done [\"" + parked + "\"]");
    assertThat(
        sql.text("select tasker.replay_dead_messages(?, 'bo') ->> 'outcome'", List.of(parked)))
        .isEqualTo("already");
    assertThat(queued()).isEqualTo(1);
    assertThat(sql.object("select tasker.list_dead_messages()").getJsonArray("messages"))
        .hasSize(1);
    assertThat(
        sql.object("select tasker.list_dead_messages(p_replayed => true)").getJsonArray("messages"))
        .hasSize(2);
  }

  @Test
  void a_message_on_a_worker_queue_that_offers_no_step_does_not_stop_the_claims() {
    Dag.Task task = Dag.of("a").started();
    sql.run(
        "select pgmq.send('worker_orders_queue', '{\"step_uuid\": \"x\", \"handoff\": 1}'::jsonb, '{\"claim_order\": 1}'::jsonb)");
    sql.run("select pgmq.send('worker_orders_queue', '{\"step_uuid\": \"" + UUID.randomUUID()
        + "\", \"handoff\": \"two\"}'::jsonb, '{\"claim_order\": 2}'::jsonb)");

    worker.complete(worker.claimOne().success());

    assertThatTask(task).isIn("complete");
    assertThat(sql.number(
        "select count(*) from tasker.dead_messages where queue_name = 'worker_orders_queue'"))
        .isEqualTo(2);
  }

  @Test
  void a_step_of_which_no_assignment_can_be_made_does_not_stop_its_batch_and_resolves_by_its_lease() {
    Dag.Task bad = Dag.of("bad").maxAttempts(1).priority(5).started();
    Dag.Task good = Dag.of("good").started();
    sql.run("alter function tasker.get_claimed_steps(uuid[]) rename to get_claimed_steps_kept");
    try {
      sql.run(
          "create function tasker.get_claimed_steps(p uuid[]) returns json language plpgsql as $$ begin "
              + "if '" + bad.step("bad")
              + "'::uuid = any (p) then raise exception 'too long' using errcode = '54000'; end if; "
              + "return tasker.get_claimed_steps_kept(p); end $$");
      List<Claim> claims = worker.claim(10);
      assertThat(claims).extracting(Claim::step).containsExactly(good.step("good"));
      worker.complete(claims.get(0).success());
    } finally {
      sql.run("drop function tasker.get_claimed_steps(uuid[])");
      sql.run("alter function tasker.get_claimed_steps_kept(uuid[]) rename to get_claimed_steps");
    }
    assertThat(sql.text(
        "select sqlstate || ' ' || cause || ' ' || (message ->> 'step_uuid') from tasker.dead_messages"))
        .isEqualTo("54000 too long " + bad.step("bad"));
    worker.at(Instant.now().plusSeconds(61)).advance();
    assertThatTask(bad).isIn("blocked_by_failures");
    assertThatTask(good).isIn("complete");
  }
}
