package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Role, stage and handoff decide which writes are allowed, never the process. */
@ProtectionTest
class OwnershipTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private void refused(UUID step, int attempt, String from, String to, String actor) {
    assertThatDatabaseRefuses("TK005",
        () -> sql.text("select tasker.transition_step_state_atomic(?, ?, ?, ?, ?, null)", step,
            attempt, from, to, actor));
    assertThatDatabaseRefuses("TK005", () -> sql.run(
        "insert into tasker.step_moves (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt) "
            + "select ?, s.transition_count + 1, s.task_uuid, ?, ?, ?, s.handoffs, s.attempts from tasker.workflow_steps s where s.workflow_step_uuid = ?",
        step, from, to, actor, step));
  }

  @Test
  void O1_orchestrator_cannot_end_what_a_worker_runs() {
    Dag.of("a").started();
    Claim claim = worker.claimOne();
    for (String to : List.of("complete", "error", "cancelled", "pending",
        "enqueued_for_orchestration")) {
      refused(claim.step(), 1, "in_progress", to, "orchestrator");
    }
    assertThatStep(claim.step()).isIn("in_progress").went("pending", "enqueued", "in_progress");
  }

  @Test
  void O2_worker_cannot_move_what_was_not_handed_off() {
    Dag.Task task = Dag.of("a").submitted();
    for (String to : sql.texts("select unnest(enum_range(null::tasker.step_state))")) {
      refused(task.step("a"), 0, "pending", to, "worker");
    }
    assertThatStep(task.step("a")).isIn("pending").went("pending");
  }

  @Test
  void O4_handoff_is_undone_by_recovery_only_and_only_past_its_time() {
    Dag.Task task = Dag.parallel(2).started();
    UUID offered = task.step("p2");
    Claim running = worker.claim(2).stream().filter(claim -> claim.step().equals(task.step("p1")))
        .findFirst().orElseThrow();
    sql.text(
        "select tasker.release_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), null)",
        offered, task.uuid());
    for (String actor : List.of("orchestrator", "worker", "operator")) {
      refused(offered, 2, "enqueued", "pending", actor);
    }
    for (String actor : List.of("orchestrator", "operator")) {
      refused(running.step(), 1, "in_progress", "pending", actor);
    }

    // Recovery itself not before the lease has ended.
    for (String to : List.of("pending", "error")) {
      assertThat(sql.isTrue(
          "select tasker.transition_step_state_atomic(?, 1, 'in_progress', ?, 'recovery', null)",
          running.step(), to))
          .isFalse();
    }
    sql.run("update tasker.task_wakeups set wake_at = now()");
    worker.at(sql.instant(
        "select lease_expires_at - interval '1 microsecond' from tasker.workflow_steps where workflow_step_uuid = ?",
        running.step())).advance();
    assertThatStep(running.step()).isIn("in_progress");
    sql.run("update tasker.task_wakeups set wake_at = now()");
    worker.at(sql.instant(
        "select lease_expires_at from tasker.workflow_steps where workflow_step_uuid = ?",
        running.step())).advance();
    assertThatStep(running.step()).isIn("enqueued").hasAttempts(2);
  }

  @Test
  void O6_run_with_another_processor_for_every_single_move_comes_to_its_end() {
    Dag.Task task = Dag.diamond().maxAttempts(3).submitted();
    int calls = 0;
    for (int round = 0; round < 30; round++) {
      sql.object("select tasker.evaluate_tasks(array[?]::uuid[], ?)", task.uuid(),
          UUID.randomUUID());
      for (Claim claim : SqlWorker
          .claims(sql.array("select tasker.claim_steps(?, 1)", UUID.randomUUID()))) {
        JsonArrayBuilder beat = Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("handoff",
                claim.handoff()));
        assertThat(
            sql.object("select tasker.heartbeat(?, 'another', 'worker', 1, 1, ?)",
                UUID.randomUUID(), beat.build()).getJsonArray("lost"))
            .isEmpty();
        sql.object("select tasker.complete_steps(?, ?, p_settle => false)",
            Json.createArrayBuilder().add(claim.success().json()).build(), UUID.randomUUID());
        calls++;
      }
      sql.object("select tasker.process_step_results(?)", UUID.randomUUID());
    }
    assertThatTask(task).isIn("complete");
    assertThat(calls).isEqualTo(4);
    List<String> processors = sql.texts(
        "select distinct processor_uuid from (select processor_uuid, from_state::text from tasker.workflow_step_transitions union all "
            + "select processor_uuid, from_state::text from tasker.task_transitions) h where from_state is not null");
    assertThat(processors).doesNotContainNull().hasSizeGreaterThanOrEqualTo(13);
    assertThat(sql.number(
        "select count(*) from (select workflow_step_uuid, processor_uuid from tasker.workflow_step_transitions "
            + "where from_state is not null group by 1, 2 having count(*) > 1) x"))
        .as("steps two of whose moves one processor made").isZero();
  }

  @Test
  void O7_orchestrator_killed_before_and_after_each_of_its_writes_leaves_a_task_that_completes() {
    Dag.Task task = Dag.linear(2).submitted();
    AtomicInteger points = new AtomicInteger();
    try (CrashPoints crash = new CrashPoints()) {
      // The handoff.
      points.addAndGet(
          crash.killAtEach(
              session -> session.object("select tasker.evaluate_tasks(array[?]::uuid[], ?)",
                  task.uuid(), UUID.randomUUID()),
              () -> assertThatTask(task).isIn("pending").went()));
      for (String step : List.of("s1", "s2")) {
        Claim claim = worker.claimOne();
        worker.submitResults(claim.success());
        // The advance: results, children, their handoff, the end.
        points.addAndGet(crash.killAtEach(
            session -> session.object("select tasker.process_step_results(?)", UUID.randomUUID()),
            () -> assertThatStep(task.step(step)).isIn("enqueued_for_orchestration")));
      }
    }
    System.out.println("O7: killed at " + points + " points");
    assertThat(points.get()).isGreaterThan(40);
    assertThatTask(task).isIn("complete").hasNoWakeUp().went("initializing", "enqueuing_steps",
        "steps_in_process", "evaluating_results",
        "complete");
    assertThatStep(task.step("s2")).went("pending", "enqueued", "in_progress",
        "enqueued_for_orchestration", "complete");
  }

  @Test
  void O7_killed_orchestrator_is_followed_by_the_safety_net_alone() {
    Dag.Task task = Dag.linear(2).submitted();
    try (CrashPoints crash = new CrashPoints()) {
      int points = crash.killAtEach(session -> SqlWorker.in(session).advance(),
          () -> assertThatTask(task).isIn("pending"));
      assertThat(points).isGreaterThan(8);
    }
    for (int round = 0; round < 4; round++) {
      worker.at(null).claim(10).forEach(claim -> worker.submitResults(claim.success()));
      sql.run("delete from pgmq.q_orchestration_step_results");
      sql.run("update tasker.task_wakeups set wake_at = now()");
      worker.advance();
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void O8_thousand_steps_through_two_orchestrators_and_three_workers_end_once_each() {
    int tasks = 250;
    Dag.diamond().submitted(tasks);
    List<String> ended = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger completed = new AtomicInteger();
    Function<Sql, Integer> orchestrator = session -> {
      UUID server = UUID.randomUUID();
      int rounds = 0;
      while (ended.size() < tasks && rounds++ < 100_000) {
        for (String call : List.of("select tasker.process_step_results(?, 40)",
            "select tasker.advance_due_tasks(?, 40)")) {
          session.object(call, server).getJsonArray("ended")
              .forEach(end -> ended.add(((JsonObject) end).getString("task_uuid")));
        }
      }
      return rounds;
    };
    Function<Sql, Integer> worker = session -> {
      SqlWorker caller = SqlWorker.in(session);
      int done = 0;
      while (ended.size() < tasks) {
        List<Claim> claims = caller.claim(7);
        if (!claims.isEmpty()) {
          assertThat(caller
              .submitResults(claims.stream().map(Claim::success).toArray(SqlWorker.Result[]::new))
              .getJsonArray("refused"))
              .isEmpty();
          done += claims.size();
          completed.addAndGet(claims.size());
        }
      }
      return done;
    };
    List<Integer> shares;
    try (Race race = new Race(5)) {
      shares = race.run(orchestrator, orchestrator, worker, worker, worker);
    }
    System.out.println("O8: rounds of two orchestrators and steps of three workers: " + shares);
    assertThat(completed.get()).isEqualTo(1000);
    assertThat(shares.subList(2, 5)).allSatisfy(share -> assertThat(share).isPositive());
    assertThat(ended).hasSize(tasks);
    assertThat(new HashSet<>(ended)).hasSize(tasks);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_step_transitions where to_state = 'complete'"))
        .as("completion events")
        .isEqualTo(1000);
    assertThat(sql.number("select count(*) from tasker.workflow_step_result_audit"))
        .isEqualTo(1000);
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(tasks);
  }

  @Test
  void O9_moves_that_java_names_are_those_of_the_rules_and_no_java_code_makes_one_by_itself()
      throws IOException {
    String move = "select concat_ws(' ', coalesce(from_state::text, 'nothing'), to_state, actor) from tasker.";
    assertThat(sql.texts(move + "workflow_step_transition_rules"))
        .containsExactlyInAnyOrderElementsOf(Moves.OF_STEPS);
    assertThat(sql.texts(move + "task_transition_rules"))
        .containsExactlyInAnyOrderElementsOf(Moves.OF_TASKS);

    // What a server does, it does by functions of its role: it names no actor and moves no state
    // itself.
    try (Stream<Path> sources = Files.walk(Path.of("src", "main", "java"))) {
      for (Path source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        assertThat(Files.readString(source)).as(source.toString())
            .doesNotContain("transition_step_state_atomic", "transition_task_state_atomic")
            .doesNotContainPattern("(?i)(update|insert into|delete from)\\s+tasker\\.");
      }
    }
  }
}
