package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TestDatabase;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a call reads does not grow with the number of batch workers that have ended. */
@DatabaseTest
@DatabaseTest.Covers("get_open_steps")
class BatchWidthTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  /**
   * A task with five workers in flight, one that waits for a retry, that many which have ended, and
   * 14 to come.
   */
  private record Wide(Dag.Task task, Claim one, Claim waiting, Claim other, UUID server) {
    /** The calls, by what they are. */
    Map<String, Object[]> calls() {
      String complete = "select tasker.complete_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::text, 'task_uuid', ?::text, "
          + "'handoff', 1, 'outcome', 'success', 'result', 1)), ?)";
      Map<String, Object[]> calls = new LinkedHashMap<>();
      calls.put("completion of a worker", new Object[]{complete, one.step(), task.uuid(), server});
      calls.put("completion of another step",
          new Object[]{complete, other.step(), task.uuid(), server});
      calls.put("evaluation",
          new Object[]{"select tasker.evaluate_tasks(array[?::uuid], ?)", task.uuid(), server});
      calls.put("round of the poller",
          new Object[]{"select tasker.process_tasks(array[?::uuid], ?, 0, 60, 300, 86400, 5)",
            task.uuid(), server});
      calls.put("order of due tasks",
          new Object[]{"select tasker.get_task_ready_info(?)", task.uuid()});
      calls.put("staleness",
          new Object[]{"select tasker.get_task_staleness(array[?::uuid])", task.uuid()});
      calls.put("diagnosis", new Object[]{"select tasker.diagnose_task(?)", task.uuid()});
      calls.put("document",
          new Object[]{"select tasker.get_task_documents(array[?::uuid])", task.uuid()});
      calls.put("list of steps", new Object[]{"select tasker.get_step_documents(?)", task.uuid()});
      calls.put("first page of workers",
          new Object[]{"select tasker.list_batch_workers(?, ?)", task.uuid(), task.step("work")});
      calls.put("restart by an operator",
          new Object[]{"select tasker.act_on_step(?, ?, 'reset_for_retry', 'ops', 'test', '{}', ?)",
            task.uuid(), waiting.step(), server});
      calls.put("cancel",
          new Object[]{"select tasker.request_cancel(?, 'ops', 'test')", task.uuid()});
      return calls;
    }

    /** Of the results in that call, which is rolled back. */
    JsonArray refused(String completion) {
      Object[] call = calls().get(completion);
      try (Sql session = Sql.session()) {
        JsonArray refused = session
            .object((String) call[0], Arrays.copyOfRange(call, 1, call.length))
            .getJsonArray("refused");
        session.rollback();
        return refused;
      }
    }
  }

  private Wide wide(int ended) {
    Dag.Task task = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 5}").step("join")
        .dependsOn("work")
        .step("other").started();
    List<Claim> roots = worker.claim(2);
    Claim cut = roots.stream().filter(claim -> claim.step().equals(task.step("cut"))).findFirst()
        .orElseThrow();
    worker.complete(cut.batches(20));
    List<Claim> workers = worker.claim(5);
    worker.complete(workers.get(4).retryableFailure(900_000));
    // Which has taken its place; the next task that is made here would claim it.
    Claim sixth = worker.claimOne();
    assertThat(Stream.of(roots, workers, List.of(sixth)).flatMap(List::stream))
        .extracting(Claim::task).hasSize(8).containsOnly(task.uuid());
    sql.run(
        "insert into tasker.workflow_steps (workflow_step_uuid, task_uuid, named_step_uuid, name, batch_step_uuid, created_at, "
            + "enqueued_at, completed_at, state, step_position, transition_count, total_parents, remaining_parents, handoffs, attempts, "
            + "max_attempts, retryable) "
            + "select gen_random_uuid(), s.task_uuid, s.named_step_uuid, 'work_ended' || g, s.workflow_step_uuid, now(), now(), now(), "
            + "'complete', b.first_position + b.created_workers + g - 1, 5, 0, 0, 1, 1, 3, true "
            + "from tasker.batches b join tasker.workflow_steps s using (workflow_step_uuid) cross join generate_series(1, ?) g "
            + "where b.task_uuid = ?",
        ended, task.uuid());
    sql.run("update tasker.batch_items i set ordinal = i.ordinal + ? from tasker.batches b "
        + "where b.workflow_step_uuid = i.batch_step_uuid and b.task_uuid = ?", ended, task.uuid());
    sql.run(
        "update tasker.batches set total_workers = total_workers + ?1, created_workers = created_workers + ?1, "
            .replace("?1", String.valueOf(ended))
            + "done_workers = done_workers + ? where task_uuid = ?",
        ended, task.uuid());
    sql.run("update tasker.tasks set total_steps = total_steps + ? where task_uuid = ?", ended,
        task.uuid());
    return new Wide(task, workers.get(0), workers.get(4),
        roots.stream().filter(claim -> claim != cut).findFirst().orElseThrow(), worker.uuid());
  }

  /** Of three calls: a session may have to read the catalog again at any time. */
  private static int fewestBlocks(Sql session, Object[] call) {
    return IntStream.range(0, 3).map(time -> blocks(session, call)).min().orElseThrow();
  }

  /** The blocks of a call that is rolled back, with everything that its functions read. */
  private static int blocks(Sql session, Object[] call) {
    Object[] arguments = Arrays.copyOfRange(call, 1, call.length);
    JsonObject plan = session.array("explain (analyze, buffers, format json) " + call[0], arguments)
        .getJsonObject(0).getJsonObject("Plan");
    session.rollback();
    return plan.getInt("Shared Hit Blocks") + plan.getInt("Shared Read Blocks");
  }

  @Test
  void what_a_call_reads_does_not_grow_with_the_workers_that_have_ended() {
    Wide narrow = wide(100);
    Wide broad = wide(100_000);
    sql.run(
        "analyze tasker.tasks, tasker.workflow_steps, tasker.batches, tasker.batch_live_workers, tasker.batch_items");

    for (Wide wide : List.of(narrow, broad)) {
      assertThat(wide.refused("completion of a worker")).isEmpty();
      assertThat(wide.refused("completion of another step")).isEmpty();
    }
    Map<String, String> grown = new LinkedHashMap<>();
    try (Sql session = Sql.session()) {
      broad.calls().forEach((name, call) -> {
        // The plans of the functions are made, and the catalog is read, before anything counts.
        for (int i = 0; i < 7; i++) {
          blocks(session, narrow.calls().get(name));
          blocks(session, call);
        }
        int few = fewestBlocks(session, narrow.calls().get(name));
        int many = fewestBlocks(session, call);
        if (many > 1.2 * few) {
          grown.put(name,
              "%d blocks, and %d with a thousand times as many workers".formatted(few, many));
        }
      });
    }
    assertThat(grown).isEmpty();
    // What was inserted has no history.
    TestDatabase.get().reset();
  }

  @Test
  void workers_that_wait_run_and_end_are_listed_while_they_live() {
    Dag.Task task = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 3}").step("join")
        .dependsOn("work")
        .started();
    worker.complete(worker.claimOne().batches(5));
    String live = "select concat_ws(' ', s.name, case when l.due_at is null then 'in flight' else 'idle' end) from tasker.batch_live_workers l "
        + "join tasker.workflow_steps s using (workflow_step_uuid) where l.task_uuid = ? order by s.step_position";
    assertThat(sql.texts(live, task.uuid())).containsExactly("work_001 in flight",
        "work_002 in flight", "work_003 in flight");

    List<Claim> claims = worker.claim(3);
    worker.complete(claims.get(0).success(), claims.get(1).permanentFailure(),
        claims.get(2).retryableFailure(900_000));
    assertThat(sql.texts(live, task.uuid())).containsExactly("work_003 idle", "work_004 in flight",
        "work_005 in flight");
    assertThat(sql.texts(
        "select concat_ws(' ', coalesce(o.name, 'of the template'), o.state) from tasker.get_open_steps(?) o order by o.step_position",
        task.uuid())).containsExactly("of the template complete", "of the template pending",
            "of the template pending",
            "work_003 waiting_for_retry", "work_004 enqueued", "work_005 enqueued");

    sql.text("select tasker.act_on_step(?, ?, 'reset_for_retry', 'ops', 'test', '{}', ?)",
        task.uuid(), claims.get(1).step(),
        worker.uuid());
    assertThat(sql.texts(live, task.uuid())).hasSize(4);
    assertThatHistoryIsSound();
    worker.at(java.time.Instant.now().plusSeconds(1_000)).advance();
    worker.runToTheEnd();
    assertThat(sql.texts(live, task.uuid())).isEmpty();
    assertThatHistoryIsSound();
  }
}
