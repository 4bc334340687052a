package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
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
  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  private String setAside(Instant at) {
    return sql.text("select tasker.set_aside_due_task(?, '57014', 'too long', ?, ?)",
        worker.uuid(), LIMIT, at);
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
