package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the database gives up waits, alone, and nothing else waits for it. */
@DatabaseTest
@DatabaseTest.Covers({"set_aside_due_task", "set_aside_step_result", "record_task_fault",
  "get_next_ready_tasks", "is_too_expensive"})
class SetAsideTest {
  private static final int LIMIT = 3;

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private JsonObject reply;
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  private String setAside(Instant at) {
    return reply(at).isNull("task_uuid") ? null : reply.getString("task_uuid");
  }

  private int madeDue(Instant at) {
    assertThat(reply(at).isNull("task_uuid")).isTrue();
    return reply.getInt("made_due");
  }

  private JsonObject reply(Instant at) {
    reply = sql.object("select tasker.set_aside_due_task(?, '57014', 'too long', ?, ?)",
        worker.uuid(), LIMIT, at);
    return reply;
  }

  private List<String> due(int most, Instant at) {
    return sql.texts("select task_uuid from tasker.get_next_ready_tasks(?, ?)", most, at);
  }

  private void dueAt(UUID task, Instant at) {
    sql.run("update tasker.task_wakeups set wake_at = ? where task_uuid = ?", at, task);
  }

  private Duration untilItIsDue(UUID task, Instant from) {
    return Duration.between(from, sql.instant(
        "select wake_at from tasker.task_wakeups where task_uuid = ?", task));
  }

  @Test
  void the_first_due_task_is_set_aside_and_comes_later_without_others() {
    UUID noisy = Dag.linear(1).started().uuid();
    UUID other = Dag.linear(1).started().uuid();
    dueAt(noisy, now.minusSeconds(2));
    dueAt(other, now.minusSeconds(1));

    assertThat(setAside(now)).isEqualTo(noisy.toString());

    assertThat(untilItIsDue(noisy, now)).isEqualTo(Duration.ofSeconds(30));
    assertThat(due(200, now)).containsExactly(other.toString());
    Instant later = now.plusSeconds(31);
    assertThat(due(200, later)).containsExactly(other.toString());
    assertThat(due(1, later)).as("the first one").containsExactly(other.toString());
    dueAt(other, later.plusSeconds(1));
    assertThat(due(200, later)).isEmpty();
    assertThat(due(1, later)).containsExactly(noisy.toString());
  }

  @Test
  void a_task_that_is_given_up_too_often_gets_a_dead_letter_and_one_try_a_day() {
    Dag.Task task = Dag.linear(1).started();
    Claim claim = worker.claim(1).get(0);
    submitForOrchestration(claim);
    for (int fault = 1; fault <= LIMIT; fault++) {
      dueAt(task.uuid(), now.minusSeconds(1));
      assertThat(setAside(now)).isEqualTo(task.uuid().toString());
    }

    assertThat(untilItIsDue(task.uuid(), now)).isEqualTo(Duration.ofDays(1));
    assertThatTask(task.uuid()).hasOpenDeadLetter("permanent_failure");
    // A trial of its steps would take as long again.
    assertThatStep(task.step("s1")).isIn("enqueued_for_orchestration");
    assertThat(setAside(now)).isNull();
  }

  @Test
  void the_message_of_a_result_goes_and_the_poller_comes_to_the_result() {
    Dag.Task task = Dag.linear(1).started();
    submitForOrchestration(worker.claim(1).get(0));

    assertThat(sql.text("select tasker.set_aside_step_result(?, '57014', 'too long', ?, ?)",
        worker.uuid(), LIMIT, now)).isEqualTo(task.uuid().toString());

    assertThat(sql.number("select count(*) from pgmq.q_orchestration_step_results")).isZero();
    assertThat(untilItIsDue(task.uuid(), now)).isEqualTo(Duration.ofSeconds(30));
    assertThat(sql.text("select tasker.set_aside_step_result(?, '57014', 'too long', ?, ?)",
        worker.uuid(), LIMIT, now)).isNull();
    sql.text("select tasker.advance_due_tasks(?, 1, p_now => ?)", worker.uuid(),
        now.plusSeconds(31));
    assertThatTask(task.uuid()).isIn("complete");
    assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
  }

  @Test
  void a_parent_that_is_told_of_a_childs_end_is_due_first_and_then_it_is_the_one() {
    Dag.Task parent = parentOfEndedChild();
    UUID other = Dag.linear(1).started().uuid();
    dueAt(other, now.minusSeconds(60));

    assertThat(madeDue(now)).isOne();

    assertThat(sql.number("select count(*) from tasker.task_notices")).isZero();
    assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
    assertThat(due(200, now)).containsExactlyInAnyOrder(other.toString(),
        parent.uuid().toString());
    dueAt(other, now.plusSeconds(1));
    assertThat(setAside(now)).isEqualTo(parent.uuid().toString());
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("pending");
    dueAt(other, now.plusSeconds(60));
    sql.text("select tasker.advance_due_tasks(?, 1, p_now => ?)", worker.uuid(),
        now.plusSeconds(31));
    assertThatStep(parent.step("sub")).isIn("complete");
  }

  @Test
  void a_parent_that_was_set_aside_is_not_taken_with_others_when_it_is_told() {
    Dag.Task parent = parentOfEndedChild();
    sql.run("insert into tasker.task_faults (task_uuid, faults, first_at, last_at, sqlstate, cause)"
        + " values (?, 1, ?, ?, '57014', 'too long')", parent.uuid(), now, now);

    assertThat(sql.object("select tasker.deliver_notices(?, 100, ?)", worker.uuid(), now))
        .hasToString("{\"ended\":[],\"notices\":1,\"parents\":[]}");
    assertThatStep(parent.step("sub")).isIn("pending");
  }

  private Dag.Task parentOfEndedChild() {
    Dag.Template child = Dag.of("x").registered();
    Dag.Task parent = Dag.of("a").step("sub").dependsOn("a").waitingOnly(
        "{\"task\": {\"namespace\": \"" + child.namespace() + "\", \"name\": \"" + child.name()
            + "\", \"context\": {}}}")
        .started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    assertThat(sql.number("select count(*) from tasker.task_notices")).isOne();
    return parent;
  }

  @Test
  void a_task_that_got_a_slot_is_due_first_and_keeps_its_slot() {
    Dag dag = Dag.of("a").policy("{\"limit\": 1}");
    dag.started();
    worker.advance();
    Claim first = worker.claimOne();
    Dag.Task second = dag.started();
    worker.advance();
    worker.complete(first.success());
    String admitted = "select count(*) from tasker.concurrency_slots where admitted_at is not null";
    assertThat(sql.number(admitted + " and is_due")).isOne();

    assertThat(madeDue(now)).isOne();

    assertThat(sql.number(admitted + " and not is_due")).isOne();
    assertThat(due(200, now)).containsExactly(second.uuid().toString());
    assertThat(setAside(now)).isEqualTo(second.uuid().toString());
    sql.text("select tasker.advance_due_tasks(?, 1, p_now => ?)", worker.uuid(),
        now.plusSeconds(31));
    worker.complete(worker.claimOne().success());
    assertThatTask(second).isIn("complete");
    assertThat(sql.number("select count(*) from tasker.concurrency_slots")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void a_checked_task_is_left_to_the_duty_of_due_tasks() {
    Dag.Task task = Dag.of("a").withInputSchema().submitted();

    sql.text("select tasker.start_validated_tasks(?::jsonb, ?, p_evaluate => false)",
        "[{\"task_uuid\": \"" + task.uuid() + "\", \"violations\": []}]", worker.uuid());

    assertThatTask(task).isIn("pending");
    assertThat(sql.array("select tasker.take_unchecked_tasks()")).isEmpty();
    assertThat(due(200, now.plusSeconds(1))).containsExactly(task.uuid().toString());
    worker.advance();
    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void a_message_that_names_no_task_is_left_to_be_parked() {
    sql.run("select pgmq.send('orchestration_step_results', '{\"task_uuid\": \"no task\"}')");

    assertThat(sql.text("select tasker.set_aside_step_result(?, '57014', 'too long', ?)",
        worker.uuid(), LIMIT)).isNull();

    assertThat(sql.number("select count(*) from pgmq.q_orchestration_step_results")).isOne();
  }

  @ParameterizedTest
  @CsvSource({"57014, true", "53200, true", "53400, true", "57P01, false", "40P01, false",
    "55P03, false", "53100, false"})
  void too_expensive_is_what_was_cancelled_or_found_no_memory(String state, boolean expected) {
    assertThat(sql.isTrue("select tasker.is_too_expensive(?)", state)).isEqualTo(expected);
  }

  private void submitForOrchestration(Claim claim) {
    sql.text("select tasker.complete_steps(?::jsonb, ?, p_settle => false)",
        "[{\"step_uuid\": \"" + claim.step() + "\", \"task_uuid\": \"" + claim.task()
            + "\", \"handoff\": " + claim.handoff() + ", \"outcome\": \"success\"}]",
        worker.uuid());
  }
}
