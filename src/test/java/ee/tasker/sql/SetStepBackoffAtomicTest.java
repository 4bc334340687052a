package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Instant;
import org.junit.jupiter.api.Test;

@DatabaseTest
class SetStepBackoffAtomicTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void the_wait_counts_from_the_last_attempt_and_the_task_is_woken_by_it() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().retryableFailure(5000));
    for (int seconds : new int[]{7200, 10}) {
      assertThat(sql.isTrue("select tasker.set_step_backoff_atomic(?, ?)", task.step("a"), seconds))
          .isTrue();
      assertThatStep(task.step("a")).isDueAbout(Instant.now().plusSeconds(seconds));
      assertThatTask(task).isLookedAtAbout(Instant.now().plusSeconds(seconds));
    }
  }

  @Test
  void the_first_retry_of_a_task_wakes_it() {
    Dag.Task task = Dag.parallel(2).started();
    worker.complete(0, worker.claim(2).stream().map(c -> c.retryableFailure(100_000)).toList());
    sql.text("select tasker.set_step_backoff_atomic(?, 5000)", task.step("p1"));
    assertThatTask(task).isLookedAtAbout(Instant.now().plusSeconds(100));
  }

  @Test
  void a_step_that_does_not_wait_for_a_retry_has_no_wait_to_set() {
    Dag.Task task = Dag.of("a").started();
    assertThat(sql.isTrue("select tasker.set_step_backoff_atomic(?, 5)", task.step("a"))).isFalse();
    assertThat(sql.isTrue("select tasker.set_step_backoff_atomic(gen_random_uuid(), 5)")).isFalse();
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.set_step_backoff_atomic(?, -1)", task.step("a")));
  }
}
