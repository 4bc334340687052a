package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.sql.EngineModelTest.Model;
import ee.tasker.sql.EngineModelTest.State;
import ee.tasker.sql.EngineModelTest.Step;
import ee.tasker.testing.Dag;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import ee.tasker.testing.TaskerAssertions;
import ee.tasker.testing.TestDatabase;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Two sessions, whose transactions stay open across commands, work on several random graphs of up
 * to 60 steps: claims,
 * results of both kinds of server, results that come twice or too late, expired leases, cancels,
 * duplicate requests, people
 * who repair failed steps, messages that get lost. Everything follows from a seed. After every
 * command the rows of each task, as
 * its session sees them, say what a model in memory says; in the end everything comes to rest and
 * every promise has been kept.
 *
 * <p>{@code -Dmodel.tries=100} for more than the few runs of a build, {@code -Dmodel.seed=…} for
 * one run again.
 */
class InterleavedModelTest {
  private static final int COMMANDS = 400;
  private static final Random NEVER_THE_SAME = new Random();

  private final Map<UUID, Run> runs = new LinkedHashMap<>();
  private final List<Claim> seen = new ArrayList<>();
  private final Map<Step, Integer> delays = new HashMap<>();
  private Random random;
  private Instant now;
  private int commands;

  /** A task, its model, and the sessions that have moved it in a transaction that is still open. */
  private record Run(Dag.Task task, JsonObject request, Model model, Set<Lane> touchedBy) {}

  private final class Lane {
    private final Sql sql = Sql.session();
    private final SqlWorker worker = SqlWorker.in(sql);

    private void end() {
      sql.commit();
      runs.values().forEach(run -> run.touchedBy.remove(this));
    }

    /** Tasks that no other session has locked. */
    private List<Run> free() {
      return runs.values().stream()
          .filter(run -> run.touchedBy.isEmpty() || run.touchedBy.equals(Set.of(this))).toList();
    }

    private Run any() {
      List<Run> free = free();
      return free.isEmpty() ? null : free.get(random.nextInt(free.size()));
    }
  }

  @Test
  void rows_do_what_the_model_does_however_two_sessions_interleave() {
    Long seed = Long.getLong("model.seed");
    int tries = seed != null ? 1 : Integer.getInteger("model.tries", 4);
    for (int attempt = 0; attempt < tries; attempt++) {
      long own = seed != null ? seed : NEVER_THE_SAME.nextLong();
      try {
        run(own);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("again with -Dmodel.seed=" + own + ", command " + commands, e);
      }
    }
  }

  private void run(long seed) {
    TestDatabase.get().reset();
    runs.clear();
    seen.clear();
    delays.clear();
    random = new Random(seed);
    double failures = random.nextDouble() * 0.4;
    for (int i = 0; i < 3; i++) {
      Run run = submit(seed + "-" + i, i == 0 ? 1 + random.nextInt(60) : 1 + random.nextInt(20));
      runs.put(run.task.uuid(), run);
    }
    try (Sql aside = Sql.open()) {
      now = aside.instant("select clock_timestamp()");
      Lane[] lanes = {new Lane(), new Lane()};
      for (commands = 1; commands <= COMMANDS; commands++) {
        Lane lane = lanes[random.nextInt(2)];
        now = now.plusMillis(1 + random.nextInt(2000));
        lane.worker.at(now);
        step(lane, aside, failures);
        for (Run run : runs.values()) {
          compare(run.touchedBy.isEmpty() ? aside
              : run.touchedBy.size() == 1 ? run.touchedBy.iterator().next().sql : null, run);
        }
        if (random.nextInt(4) == 0) {
          lane.end();
        }
      }
      for (Lane lane : lanes) {
        lane.end();
      }
      comeToRest(aside, lanes[0]);
      for (Lane lane : lanes) {
        lane.sql.close();
      }
    }
    RunRecord.replayed(InterleavedModelTest.class, TaskerAssertions.assertThatHistoryIsSound());
  }

  private void step(Lane lane, Sql aside, double failures) {
    switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> claim(lane);
      case 6, 7, 8, 9 -> finish(lane, failures, true);
      case 10, 11 -> finish(lane, failures, false);
      case 12, 13 -> settle(lane);
      case 14 -> tellLies(lane);
      case 15 -> expire(lane);
      case 16 -> submitAgain(lane);
      case 17 -> loseMessages(aside);
      case 18 -> act(lane, aside);
      default -> {
        if (random.nextInt(8) == 0) {
          cancel(lane);
        } else {
          check(lane);
        }
      }
    }
  }

  private void claim(Lane lane) {
    int limit = 1 + random.nextInt(8);
    List<Claim> claims = lane.worker.claim(limit);
    assertThat(claims).hasSizeLessThanOrEqualTo(limit);
    for (Claim claim : claims) {
      Run run = runs.get(claim.task());
      Step step = run.model.steps.get(claim.step());
      assertThat(step.state).as("state of what was claimed").isEqualTo(State.ENQUEUED);
      assertThat(claim.handoff()).isEqualTo(step.handoffs);
      assertThat(claim.attempt()).isEqualTo(step.attempts);
      step.state = State.IN_PROGRESS;
      step.leaseEnd = now.plusSeconds(60);
      seen.add(claim);
      run.touchedBy.add(lane);
    }
  }

  private boolean isRunning(Claim claim) {
    Step step = runs.get(claim.task()).model.steps.get(claim.step());
    return step.state == State.IN_PROGRESS && step.handoffs == claim.handoff();
  }

  /** Submits a part of what runs, some of it twice; with the orchestrator's part or without. */
  private void finish(Lane lane, double failures, boolean settled) {
    List<Run> free = lane.free();
    Map<Run, Map<Step, String>> outcomes = new LinkedHashMap<>();
    Map<Step, Instant> retries = new HashMap<>();
    List<Result> results = new ArrayList<>();
    int doubled = 0;
    for (Claim claim : List.copyOf(seen)) {
      Run run = runs.get(claim.task());
      if (!free.contains(run) || !isRunning(claim) || random.nextInt(3) == 0) {
        continue;
      }
      Step step = run.model.steps.get(claim.step());
      double luck = random.nextDouble();
      int delay = random.nextInt(10_000);
      Result result = luck < failures / 4 ? claim.permanentFailure()
          : luck < failures / 3 ? claim.cancelled()
              : luck < failures ? claim.retryableFailure(delay) : claim.success();
      delays.put(step, delay);
      retries.put(step, now.plusMillis(delay));
      outcomes.computeIfAbsent(run, key -> new LinkedHashMap<>()).put(step,
          result.json().getString("outcome"));
      results.add(result);
      if (random.nextInt(10) == 0) {
        results.add(result);
        doubled++;
      }
    }
    if (results.isEmpty()) {
      return;
    }
    JsonObject answer = settled ? lane.worker.complete(0, results)
        : lane.worker.submitResults(results.toArray(Result[]::new));
    assertThat(answer.getJsonArray("refused")).hasSize(doubled);
    outcomes.forEach((run, own) -> {
      run.touchedBy.add(lane);
      if (settled) {
        run.model.complete(own, retries, now);
      } else {
        own.forEach(run.model::submitResults);
      }
    });
  }

  private Map<Step, Instant> retriesFromNow() {
    return delays.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, delay -> now.plusMillis(delay.getValue())));
  }

  /** The orchestrator's part, for tasks that are free: as after a notification of any kind. */
  private void settle(Lane lane) {
    Run run = lane.any();
    if (run != null) {
      lane.sql.text("select tasker.evaluate_tasks(array[?]::uuid[], ?, p_now => ?)",
          run.task.uuid(), UUID.randomUUID(), now);
      if (!run.model.isOver()) {
        run.model.settle(retriesFromNow(), now);
      }
      run.touchedBy.add(lane);
    }
  }

  private void tellLies(Lane lane) {
    List<Run> free = lane.free();
    List<Result> lies = seen.stream()
        .filter(claim -> free.contains(runs.get(claim.task())) && random.nextInt(4) == 0)
        .map(claim -> isRunning(claim)
            ? claim.asHandoff(claim.handoff() + (random.nextBoolean() ? 1 : -1)) : claim)
        .map(Claim::success)
        .toList();
    if (lies.isEmpty()) {
      return;
    }
    JsonObject answer = random.nextBoolean() ? lane.worker.complete(0, lies)
        : lane.worker.submitResults(lies.toArray(Result[]::new));
    assertThat(answer.getJsonArray("refused")).hasSize(lies.size());
    // It holds their locks, even though it changed nothing.
    seen.stream().map(claim -> runs.get(claim.task())).filter(free::contains)
        .forEach(run -> run.touchedBy.add(lane));
  }

  /** Ends the leases of one task that no lane holds, or only evaluates it. */
  private void expire(Lane lane) {
    Run run = lane.any();
    if (run == null || run.model.isOver()) {
      return;
    }
    Instant then = random.nextInt(3) == 0 ? now.plusSeconds(61) : now;
    now = then;
    lane.sql.text("select tasker.lock_tasks(array[?]::uuid[])", run.task.uuid());
    lane.sql.text("select tasker.recover_expired_steps(array[?]::uuid[], ?, ?)", run.task.uuid(),
        UUID.randomUUID(), then);
    lane.sql.text("select tasker.evaluate_tasks(array[?]::uuid[], ?, p_now => ?)", run.task.uuid(),
        UUID.randomUUID(), then);
    // What was submitted is settled by the same look, after the leases.
    run.model.recover(then);
    run.model.settle(retriesFromNow(), then);
    run.touchedBy.add(lane);
  }

  /** Tasks that the other session has locked are not among those that are due. */
  private void check(Lane lane) {
    Set<String> due = Set.copyOf(
        lane.sql.texts("select task_uuid from tasker.get_next_ready_tasks(100, 'infinity')"));
    assertThat(due).isSubsetOf(runs.keySet().stream().map(UUID::toString).toList());
    due.stream().map(task -> runs.get(UUID.fromString(task)))
        .forEach(run -> run.touchedBy.add(lane));
    lane.end();
  }

  private void submitAgain(Lane lane) {
    Run run = lane.any();
    if (run != null) {
      JsonObject verdict = lane.sql
          .object("select tasker.submit_tasks(?)",
              Json.createArrayBuilder().add(run.request).build())
          .getJsonArray("verdicts").getJsonObject(0);
      assertThat(verdict.getString("verdict")).isEqualTo("duplicate");
      assertThat(verdict.getString("task_uuid")).isEqualTo(run.task.uuid().toString());
    }
  }

  private void loseMessages(Sql aside) {
    for (String queue : List.of("q_worker_orders_queue", "q_orchestration_step_results")) {
      aside.run("delete from pgmq." + queue + " where msg_id in (select msg_id from pgmq." + queue
          + " order by msg_id limit 2 for update skip locked)");
    }
  }

  /**
   * An operator repairs a failed step of a task that is not being cancelled and has no retry whose
   * time could be disputed.
   */
  private void act(Lane lane, Sql aside) {
    for (Run run : lane.free()) {
      Model model = run.model;
      Step failed = model.steps.values().stream().filter(step -> step.state == State.ERROR)
          .findFirst().orElse(null);
      boolean quiet = model.steps.values().stream()
          .noneMatch(step -> step.state == State.WAITING_FOR_RETRY
              || step.state == State.RESULT_SUBMITTED);
      if (failed == null || model.isCancelled || !quiet) {
        continue;
      }
      String to = random.nextBoolean() ? "pending" : "complete";
      assertThat(lane.sql.isTrue(
          "select tasker.transition_step_state_atomic(?, ?, 'error', ?, 'operator', null)",
          failed.uuid, failed.handoffs, to)).isTrue();
      model.act(failed, to, now);
      run.touchedBy.add(lane);
      return;
    }
  }

  private void cancel(Lane lane) {
    Run run = lane.any();
    if (run != null) {
      lane.sql.text("select tasker.request_cancel(?, 'model', 'luck', p_now => ?)", run.task.uuid(),
          now);
      run.model.cancel(now);
      run.touchedBy.add(lane);
      // A revoked offer whose message is still visible would make the other session wait.
      lane.end();
    }
  }

  private void compare(Sql view, Run run) {
    if (view == null) {
      return;
    }
    Map<UUID, String> rows = new HashMap<>();
    view.rows(
        "select s.workflow_step_uuid, concat_ws(' ', s.state, s.handoffs, s.attempts) as is_now, t.state as task_state from tasker.tasks t "
            + "join tasker.workflow_steps s using (task_uuid) where t.task_uuid = ?",
        run.task.uuid())
        .forEach(row -> rows.put((UUID) row.get("workflow_step_uuid"),
            row.get("is_now") + " " + row.get("task_state")));
    Map<UUID, String> expected = new HashMap<>();
    run.model.steps
        .forEach((uuid, step) -> expected.put(uuid,
            name(step) + " " + step.handoffs + " " + step.attempts + " " + run.model.task));
    assertThat(rows).isEqualTo(expected);
  }

  private static String name(Step step) {
    if (step.state == State.RESULT_SUBMITTED) {
      return step.outcome.equals("success") ? "enqueued_for_orchestration"
          : "enqueued_as_error_for_orchestration";
    }
    return step.state.name().toLowerCase(Locale.ROOT);
  }

  /**
   * From here on everything succeeds: what was lost is found, what died is recovered, and every
   * task rests.
   */
  private void comeToRest(Sql aside, Lane lane) {
    for (int round = 0; round < 400; round++) {
      now = now.plusSeconds(61);
      lane.worker.at(now);
      aside.run("update tasker.task_wakeups set wake_at = ?", now);
      lane.worker.advance();
      lane.end();
      for (List<Claim> claims = lane.worker.claim(100); !claims.isEmpty(); claims = lane.worker
          .claim(100)) {
        lane.worker.complete(0, claims.stream().map(Claim::success).toList());
        lane.end();
      }
      if (!aside.isTrue("select exists (select from tasker.task_wakeups)")) {
        break;
      }
    }
    assertThat(aside.texts("select state from tasker.tasks")).as("states at the end")
        .allMatch(Set.of("complete", "cancelled", "blocked_by_failures")::contains);
  }

  private Run submit(String key, int size) {
    Model model = new Model(random.nextBoolean());
    Dag dag = model.randomGraph(random, size).identity("caller_provided").option("idempotency_key",
        key);
    Dag.Task task = dag.started();
    try (Sql sql = Sql.open()) {
      model.begin(sql, task);
    }
    return new Run(task, dag.request(task.template()), model, new java.util.HashSet<>());
  }
}
