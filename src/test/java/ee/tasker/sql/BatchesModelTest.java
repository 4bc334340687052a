package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Batches of random width, parallelism and strategy meet successes, failures, retries, releases,
 * operators and cancels, alone and several in a
 * call. After every command the counters are those of a small model in memory, every slot is in use
 * that can be, and never one more; in the end
 * every promise has been kept. A failure prints its seed.
 */
class BatchesModelTest {

  static final class Model {
    final int total;
    final int parallelism;
    final Integer tolerate;
    int inFlight;
    int done;
    int failed;
    int waiting;
    int due;
    boolean isCancelled;

    Model(Random random) {
      total = random.nextInt(30);
      parallelism = 1 + random.nextInt(6);
      tolerate = random.nextInt(3) == 0 ? null : random.nextInt(2) == 0 ? 0 : random.nextInt(4);
    }

    String config() {
      return "{\"parallelism\": %d, \"failure_strategy\": \"%s\"%s}".formatted(parallelism,
          tolerate == null ? "continue_on_failure" : "isolate",
          tolerate == null ? "" : ", \"tolerate\": " + tolerate);
    }

    boolean hasFailed() {
      return tolerate != null && failed > tolerate;
    }

    boolean isOver() {
      return !hasFailed() && done + failed == total;
    }

    /** Hands off what it can: those that are due first. */
    void settle() {
      if (hasFailed() || isCancelled) {
        return;
      }
      int free = Math.min(parallelism - inFlight, total - inFlight - done - failed - waiting);
      inFlight += free;
      due = Math.max(0, due - free);
    }

    String counters() {
      return inFlight + " " + done + " " + failed + " " + (isOver() ? "closed" : "open");
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void batches_are_those_of_the_model(@ForAll long seed) {
    TestDatabase.get().reset();
    Random random = new Random(seed);
    Instant[] now = {Instant.now()};
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      worker.at(now[0]);
      Model model = new Model(random);
      Dag.Task task = Dag.of("cut").batchable().step("work").dependsOn("cut")
          .batchWorker(model.config()).maxAttempts(100).step("join")
          .dependsOn("work").started();
      worker.complete(worker.claimOne().batches(model.total));
      model.settle();
      compare(sql, task, model, "opened");
      for (int command = 0; command < 60 && !model.isOver() && !model.isCancelled; command++) {
        String what = step(random, sql, worker, task, model, now);
        compare(sql, task, model, what);
      }
      if (!model.isCancelled) {
        finish(sql, worker, task, model, now);
      }
      RunRecord.replayed(BatchesModelTest.class, TaskerAssertions.assertThatHistoryIsSound());
    }
  }

  private static String step(Random random, Sql sql, SqlWorker worker, Dag.Task task, Model model,
      Instant[] now) {
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        now[0] = now[0].plusSeconds(20);
        worker.at(now[0]).advance();
        model.waiting = 0;
        model.settle();
        return "time goes by";
      }
      case 2 -> {
        if (!model.hasFailed()) {
          return "nothing";
        }
        boolean all = random.nextBoolean();
        String name = all ? "work" : sql.text(
            "select min(s.name) from tasker.workflow_steps s where s.task_uuid = ? and s.state = 'error' "
                + "and s.batch_step_uuid is not null",
            task.uuid());
        sql.object(
            "select tasker.act_on_step(?, ?, 'reset_for_retry', 'ann', 'again', '{}', null, ?)",
            task.uuid(), task.step(name),
            now[0]);
        model.failed -= all ? model.failed : 1;
        model.settle();
        return "reset of " + name;
      }
      case 3 -> {
        if (random.nextInt(6) > 0) {
          return "nothing";
        }
        sql.text("select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')", task.uuid());
        model.isCancelled = true;
        // Offers that nobody claimed go with it; those that run are asked.
        model.inFlight = sql.number(
            "select count(*) from tasker.workflow_steps where task_uuid = ? and state = 'in_progress'",
            task.uuid())
            .intValue();
        return "cancel";
      }
      default -> {
        List<Claim> claims = new ArrayList<>(worker.claim(1 + random.nextInt(4)));
        claims.removeIf(claim -> claim.claimedStep().isNull("name"));
        Collections.shuffle(claims, random);
        List<Result> results = new ArrayList<>();
        for (Claim claim : claims) {
          model.inFlight--;
          switch (random.nextInt(6)) {
            case 0 -> {
              results.add(claim.permanentFailure());
              model.failed++;
            }
            case 1, 2 -> {
              results.add(claim.retryableFailure(10_000));
              model.waiting++;
            }
            default -> {
              results.add(claim.success());
              model.done++;
            }
          }
        }
        worker.complete(0, results);
        model.settle();
        return results.size() + " results";
      }
    }
  }

  private static void finish(Sql sql, SqlWorker worker, Dag.Task task, Model model, Instant[] now) {
    for (int round = 0; round < 200
        && !sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid())
            .equals("complete"); round++) {
      if (model.hasFailed()) {
        sql.object(
            "select tasker.act_on_step(?, ?, 'reset_for_retry', 'ann', 'again', '{}', null, ?)",
            task.uuid(), task.step("work"),
            now[0]);
        model.failed = 0;
      }
      worker.complete(0, worker.claim(50).stream().map(Claim::success).toList());
      now[0] = now[0].plusSeconds(40);
      worker.at(now[0]).advance();
    }
    assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
        .isEqualTo("complete");
    assertThat(sql.number(
        "select total_workers - done_workers - failed_workers from tasker.batches where task_uuid = ?",
        task.uuid()))
        .isZero();
  }

  private static void compare(Sql sql, Dag.Task task, Model model, String command) {
    assertThat(sql.text(
        "select concat_ws(' ', in_flight_workers, done_workers, failed_workers, case when closed_at is null then 'open' else 'closed' end) "
            + "from tasker.batches where task_uuid = ?",
        task.uuid())).as("%s, of %d with %s", command, model.total, model.config())
        .isEqualTo(model.counters());
    String state = sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid());
    if (model.inFlight > 0) {
      assertThat(state).as(command).isEqualTo("steps_in_process");
    } else if (model.isCancelled) {
      assertThat(state).as(command).isEqualTo("cancelled");
    } else if (model.hasFailed()) {
      assertThat(state).as(command).isEqualTo("blocked_by_failures");
    }
  }
}
