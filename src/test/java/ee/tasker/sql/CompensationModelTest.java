package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random graphs whose steps fail, are cancelled and compensated: after each move every promise
 * holds, and nothing hangs at the end.
 */
@DatabaseTest
class CompensationModelTest {
  private static final int MOVES = 25;
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator operator = new Operator();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void whatever_happens_what_was_done_is_undone_once_and_in_reverse(long seed) {
    Random random = new Random(seed);
    int steps = 3 + random.nextInt(5);
    Dag dag = Dag.of("s0").maxAttempts(2).backoff("none", 1, 1).compensatedBy("undo", 2);
    for (int i = 1; i < steps; i++) {
      dag.step("s" + i).maxAttempts(2).backoff("none", 1, 1);
      for (int parent = 0; parent < i; parent++) {
        if (random.nextInt(3) == 0) {
          dag.dependsOn("s" + parent);
        }
      }
      if (random.nextInt(3) > 0) {
        dag.compensatedBy("undo", 2);
      }
    }
    if (random.nextBoolean()) {
      dag.lifecycle("on_failure", "compensate");
    }
    if (random.nextInt(3) == 0) {
      dag.lifecycle("on_step_error", "continue");
    }
    Dag.Task task = dag.started();

    for (int i = 0; i < MOVES; i++) {
      move(random, task);
      assertThatHistoryIsSound();
    }
    // From here on all goes well, and an operator has compensated what is blocked.
    for (int i = 0; i < 40; i++) {
      operator.task(task, "compensate");
      operator.task(task, "retry");
      sql.run(
          "update tasker.workflow_steps set lease_expires_at = now() - interval '1 second' where state = 'in_progress'");
      sql.run("update tasker.task_wakeups set wake_at = now()");
      worker.advance();
      worker.claim(99).forEach(claim -> worker.complete(claim.success()));
    }

    assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid())).isIn(
        "complete", "error", "cancelled",
        "resolved_manually");
    assertThat(sql.texts(
        "select state from tasker.task_compensations where state not in ('compensated', 'incomplete')"))
        .isEmpty();
    assertThatHistoryIsSound();
  }

  private void move(Random random, Dag.Task task) {
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> worker.claim(1).forEach(claim -> worker.complete(claim.success()));
      case 4 -> worker.claim(1).forEach(claim -> worker.complete(claim.permanentFailure()));
      case 5 -> worker.claim(1).forEach(claim -> worker.complete(claim.retryableFailure(1)));
      case 6 -> worker.claim(2);
      case 7 -> {
        // Its worker is lost.
        sql.run(
            "update tasker.workflow_steps set lease_expires_at = now() - interval '1 second' where state = 'in_progress'");
        sql.run("update tasker.task_wakeups set wake_at = now()");
        worker.advance();
      }
      case 8 -> operator.task(task, List.of("retry", "compensate", "fail").get(random.nextInt(3)));
      case 9 -> sql.object("select tasker.evaluate_tasks(array[?], null)", task.uuid());
      case 10 -> {
        UUID any = UUID
            .fromString(sql.text(
                "select workflow_step_uuid from tasker.workflow_steps order by md5(workflow_step_uuid::text || ?) limit 1",
                String.valueOf(random.nextInt())));
        sql.object("select tasker.act_on_step(?, ?, ?, 'ann', 'because')", task.uuid(), any,
            random.nextBoolean() ? "resolve_manually" : "reset_for_retry");
      }
      default -> {
        if (random.nextInt(3) == 0) {
          sql.object("select tasker.request_cancel(?, 'ann', 'not needed', p_compensate => ?)",
              task.uuid(), random.nextBoolean());
        }
      }
    }
  }
}
