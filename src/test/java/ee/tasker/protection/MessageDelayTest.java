package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Notices that come late, twice, in the wrong order or never: decisions are made from the rows. */
@ProtectionTest
class MessageDelayTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static int process(Sql session) {
    return session.object("select tasker.process_step_results(?)", UUID.randomUUID())
        .getInt("messages");
  }

  private void notice(UUID task, UUID step, int attempt) {
    sql.text(
        "select pgmq.send('orchestration_step_results'::text, jsonb_build_object('task_uuid', ?::uuid, 'step_uuid', ?::uuid, 'handoff', ?::int))",
        task, step, attempt);
  }

  private String everything() {
    return sql.text(
        "select string_agg(r, ';' order by r) from (select t::text as r from tasker.tasks t union all select s::text from tasker.workflow_steps s "
            + "union all select h::text from tasker.workflow_step_transitions h union all select q.message::text from pgmq.q_worker_orders_queue q) x");
  }

  private long slots() {
    return sql
        .number("select count(*) from tasker.concurrency_slots where admitted_at is not null");
  }

  private long handoffs(UUID step) {
    return sql.number(
        "select count(*) from tasker.workflow_step_transitions where workflow_step_uuid = ? and to_state = 'enqueued'",
        step);
  }

  @Test
  void D1_successors_start_without_the_notice_and_the_late_notice_changes_nothing() {
    Dag.Task task = Dag.linear(2).started();
    worker.submitResults(worker.claimOne().success());
    // The notice is 60 seconds late.
    sql.run(
        "update pgmq.q_orchestration_step_results set vt = clock_timestamp() + interval '60 seconds'");
    assertThat(process(sql)).isZero();
    assertThatStep(task.step("s2")).isIn("pending");

    worker.at(Instant.now().plusSeconds(31)).advance();

    assertThatStep(task.step("s1")).isIn("complete");
    assertThatStep(task.step("s2")).isIn("enqueued").hasAttempts(1);
    String before = everything();
    sql.run("update pgmq.q_orchestration_step_results set vt = clock_timestamp()");
    assertThat(process(sql)).isEqualTo(1);
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void D1_late_notice_of_a_task_that_has_ended_changes_nothing() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    worker.submitResults(claim.success());
    sql.run("delete from pgmq.q_orchestration_step_results");
    worker.at(Instant.now().plusSeconds(31)).advance();
    assertThatTask(task).isIn("complete");
    String before = everything();

    notice(task.uuid(), claim.step(), 1);
    assertThat(process(sql)).isEqualTo(1);

    assertThat(everything()).isEqualTo(before);
    assertThatTask(task).hasNoWakeUp();
  }

  @Test
  void D2_notice_that_comes_too_early_starts_neither_a_retry_nor_a_task_that_is_not_checked_yet() {
    Dag.Task retrying = Dag.of("a").started();
    Claim claim = worker.claimOne();
    worker.complete(claim.retryableFailure(60_000));
    Dag.Task unchecked = Dag.of("a").withInputSchema().submitted();
    String before = everything();

    notice(retrying.uuid(), claim.step(), 1);
    notice(unchecked.uuid(), unchecked.step("a"), 1);
    assertThat(process(sql)).isEqualTo(2);

    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void D2_notices_in_the_wrong_order_or_of_two_attempts_are_decided_by_the_row() {
    Dag.Task task = Dag.linear(2).started();
    Claim first = worker.claimOne();
    // A notice of the end before the step has one: nothing is done.
    notice(task.uuid(), first.step(), 1);
    process(sql);
    assertThatStep(first.step()).isIn("in_progress");
    assertThatStep(task.step("s2")).isIn("pending");

    worker.submitResults(first.retryableFailure(0));
    process(sql);
    process(sql);
    worker.at(Instant.now().plusSeconds(1)).advance();
    Claim second = worker.at(null).claimOne();
    worker.submitResults(second.success());
    // The notices of both attempts cross, one of an attempt that never was among them.
    notice(task.uuid(), first.step(), 1);
    notice(task.uuid(), first.step(), 7);
    while (process(sql) > 0) {
      assertThat(handoffs(task.step("s2"))).isLessThanOrEqualTo(1);
    }

    assertThatStep(first.step()).isIn("complete").hasAttempts(2);
    assertThat(handoffs(task.step("s2"))).isEqualTo(1);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void D3_one_notice_delivered_five_times_to_three_orchestrators_hands_off_once() {
    // A has a slot of its own each; the limit leaves one free at the start.
    List<Dag.Task> tasks = Dag.of("s1").stepPolicy("{\"limit\": 31, \"key\": \"/none\"}").step("s2")
        .dependsOn("s1").submitted(30);
    worker.advance();
    assertThat(slots()).isEqualTo(30);
    int held = 30;
    try (Race race = new Race(3)) {
      for (Claim claim : worker.claim(30)) {
        worker.submitResults(claim.success());
        for (int i = 0; i < 4; i++) {
          notice(claim.task(), claim.step(), 1);
        }
        Function<Sql, Integer> orchestrator = session -> {
          int messages = 0;
          for (int taken = 1; taken > 0; messages += taken) {
            taken = session.object("select tasker.process_step_results(?, 2)", UUID.randomUUID())
                .getInt("messages");
          }
          return messages;
        };
        assertThat(race.run(orchestrator, orchestrator, orchestrator).stream()
            .mapToInt(Integer::intValue).sum()).isEqualTo(5);
        assertThat(slots()).as("one slot released for each A, once").isEqualTo(--held);
      }
    }
    assertThat(sql.number(
        "select count(*) from tasker.workflow_step_transitions h join tasker.workflow_steps s using (workflow_step_uuid) "
            + "where s.step_position = 2 and h.to_state = 'enqueued'"))
        .as("handoffs of B").isEqualTo(tasks.size());
    assertThat(sql.number(
        "select count(*) from tasker.tasks where (unfinished_steps, in_flight_steps) = (1, 1)"))
        .isEqualTo(tasks.size());
    assertThat(worker.runToTheEnd()).hasSize(tasks.size());
  }

  @Test
  void D4_join_of_parents_that_were_all_done_before_the_first_notice_is_handed_off_once() {
    int width = 20;
    Dag.Task task = Dag.fanOut(width).started();
    worker.complete(worker.claimOne().success());
    List<Claim> claims = worker.claim(width);
    claims.forEach(claim -> worker.submitResults(claim.success()));
    assertThat(sql.number("select count(*) from pgmq.q_orchestration_step_results"))
        .isEqualTo(width);
    try (Race race = new Race(4)) {
      Function<Sql, Integer> orchestrator = session -> {
        int messages = 0;
        for (int taken = 1; taken > 0; messages += taken) {
          taken = session.object("select tasker.process_step_results(?, 3)", UUID.randomUUID())
              .getInt("messages");
        }
        return messages;
      };
      race.run(orchestrator, orchestrator, orchestrator, orchestrator);
    }

    assertThat(handoffs(task.step("end"))).isEqualTo(1);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void D4_join_of_parents_that_complete_at_the_same_moment_is_handed_off_once() {
    int width = 4;
    List<Dag.Task> tasks = Dag.fanOut(width).started(50);
    worker.complete(0, worker.claim(50).stream().map(Claim::success).toList());
    List<Claim> claims = worker.claim(50 * width);
    assertThat(claims).hasSize(50 * width);
    try (Race race = new Race(width)) {
      for (Dag.Task task : tasks) {
        List<Claim> parents = claims.stream().filter(claim -> claim.task().equals(task.uuid()))
            .toList();
        @SuppressWarnings("unchecked")
        Function<Sql, Integer>[] completions = IntStream.range(0, width)
            .mapToObj(i -> (Function<Sql, Integer>) session -> SqlWorker
                .in(session).complete(parents.get(i).success()).getJsonArray("refused").size())
            .toArray(Function[]::new);
        assertThat(race.run(completions)).containsOnly(0);
      }
    }
    assertThat(sql.number(
        "select count(*) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
            + "where n.name = 'end' and s.state = 'enqueued' and s.attempts = 1"))
        .isEqualTo(50);
    assertThat(worker.runToTheEnd()).hasSize(50);
  }

  @Test
  void D5_notice_touches_no_row_of_a_step_that_is_not_the_orchestrators() {
    Dag.Task task = Dag.of("offered").step("running").step("waiting").step("failed").step("done")
        .step("later").dependsOn("running")
        .continueOnError().started();
    List<Claim> kept = new ArrayList<>();
    for (Claim claim : worker.claim(5)) {
      if (claim.step().equals(task.step("waiting"))) {
        worker.complete(claim.retryableFailure(600_000));
      } else if (claim.step().equals(task.step("failed"))) {
        worker.complete(claim.permanentFailure());
      } else if (claim.step().equals(task.step("done"))) {
        worker.complete(claim.success());
      } else if (claim.step().equals(task.step("offered"))) {
        sql.text(
            "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), null)",
            claim.step(), claim.task());
      } else {
        kept.add(claim);
      }
    }
    assertThat(kept).hasSize(1);
    String before = versions();

    for (String name : List.of("offered", "running", "waiting", "failed", "done", "later")) {
      notice(task.uuid(), task.step(name), 1);
    }
    while (process(sql) > 0) {
      assertThat(versions()).isEqualTo(before);
    }
    assertThat(versions()).isEqualTo(before);
  }

  /** Which transaction wrote each step's row last, and where it is: any UPDATE changes that. */
  private String versions() {
    return sql.text(
        "select string_agg(concat_ws(' ', s.workflow_step_uuid, s.xmin, s.ctid, s.state), ';' order by s.workflow_step_uuid) from tasker.workflow_steps s");
  }
}
