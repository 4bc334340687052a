package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TaskerAssertions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One batch of a hundred thousand workers costs per worker what a small one does, from the first to
 * the last.
 */
@DatabaseTest
@Tag("long")
class BatchWidthIT {
  private static final int WIDTH = 100_000;
  private static final int ROUND = 1_000;

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void the_last_thousand_workers_of_a_hundred_thousand_cost_what_the_first_do() {
    Dag.Task task = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 1000}").step("join")
        .dependsOn("work").lifecycle("max_batches_per_step", WIDTH).started();
    worker.complete(worker.claimOne().batches(WIDTH));
    List<Long> millis = new ArrayList<>();
    for (int round = 0; round < WIDTH / ROUND; round++) {
      List<Claim> claims = worker.claim(ROUND);
      assertThat(claims).hasSize(ROUND);
      long start = System.nanoTime();
      worker.complete(0, claims.stream().map(Claim::success).toList());
      millis.add((System.nanoTime() - start) / 1_000_000);
      if (millis.size() == 10) {
        sql.run("vacuum analyze tasker.workflow_steps");
      }
    }

    double first = median(millis.subList(10, 30));
    double last = median(millis.subList(75, 95));
    assertThat(last / first).as("milliseconds per thousand: %s", millis).isLessThan(2);
    assertThat(
        sql.text(
            "select concat_ws(' ', done_workers, in_flight_workers, closed_at is not null) from tasker.batches where task_uuid = ?",
            task.uuid()))
        .isEqualTo(WIDTH + " 0 t");
    worker.runToTheEnd();
    TaskerAssertions.assertThatTask(task).isIn("complete");
    TaskerAssertions.assertThatHistoryIsSound();
  }

  private static double median(List<Long> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }
}
