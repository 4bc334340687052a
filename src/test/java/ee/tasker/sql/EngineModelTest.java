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
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Random graphs meet random luck: successes, failures of both kinds, lost workers, results that
 * come twice, too late or
 * with invented attempts. After every command the rows say what a small model in memory says, and
 * in the end every
 * promise has been kept. A failure prints its seed.
 */
class EngineModelTest {
  enum State {
    PENDING, ENQUEUED, IN_PROGRESS, RESULT_SUBMITTED, WAITING_FOR_RETRY, COMPLETE, ERROR, CANCELLED
  }

  static final class Step {
    final List<Step> parents = new ArrayList<>();
    final String name;
    final int maxAttempts;
    final boolean retryable;
    State state = State.PENDING;
    int handoffs;
    int attempts;
    int attemptsBeforeReset;
    String outcome;
    Instant leaseEnd;
    Instant retryAt;
    UUID uuid;

    Step(String name, int maxAttempts, boolean retryable) {
      this.name = name;
      this.maxAttempts = maxAttempts;
      this.retryable = retryable;
    }

    boolean mayBeTriedAgain() {
      return retryable && attempts - attemptsBeforeReset < maxAttempts;
    }

    boolean isInFlight() {
      return state == State.ENQUEUED || state == State.IN_PROGRESS
          || state == State.RESULT_SUBMITTED;
    }
  }

  /** The rules once more, one step at a time and without SQL. */
  static final class Model {
    final Map<UUID, Step> steps = new LinkedHashMap<>();
    private final List<Step> order = new ArrayList<>();
    final boolean continueOnError;
    boolean isCancelled;
    Instant forceAt;
    String task = "steps_in_process";

    Model(boolean continueOnError) {
      this.continueOnError = continueOnError;
    }

    /**
     * A graph in which later steps depend on some of the earlier ones; the model has its steps from
     * {@link #begin} on.
     */
    Dag randomGraph(Random random, int size) {
      Dag dag = null;
      for (int i = 1; i <= size; i++) {
        Step step = new Step("n" + i, random.nextInt(5), random.nextInt(6) > 0);
        dag = dag == null ? Dag.of(step.name) : dag.step(step.name);
        for (Step parent : order) {
          if (random.nextDouble() < 2.0 / i) {
            dag.dependsOn(parent.name);
            step.parents.add(parent);
          }
        }
        dag.maxAttempts(step.maxAttempts).backoff("none", 1, 1);
        if (!step.retryable) {
          dag.notRetryable();
        }
        order.add(step);
      }
      return continueOnError ? dag.continueOnError() : dag;
    }

    /** The task was submitted and started: its first steps are handed off. */
    void begin(Sql sql, Dag.Task task) {
      Map<String, UUID> uuids = new HashMap<>();
      sql.rows(
          "select n.name, s.workflow_step_uuid from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ?",
          task.uuid())
          .forEach(
              row -> uuids.put((String) row.get("name"), (UUID) row.get("workflow_step_uuid")));
      order.forEach(step -> {
        step.uuid = uuids.get(step.name);
        steps.put(step.uuid, step);
      });
      order.stream().filter(step -> step.parents.isEmpty()).forEach(this::handOff);
    }

    boolean isOver() {
      return task.equals("complete") || task.equals("cancelled");
    }

    boolean mayStart() {
      return !isCancelled && !isOver()
          && (continueOnError || steps.values().stream().noneMatch(s -> s.state == State.ERROR));
    }

    void handOff(Step step) {
      step.state = State.ENQUEUED;
      step.handoffs++;
      step.attempts++;
      step.retryAt = null;
    }

    /** Children are started by the completion of their last parent. */
    void startChildrenOf(Set<Step> completed) {
      for (Step step : steps.values()) {
        if (step.state == State.PENDING && mayStart()
            && step.parents.stream().anyMatch(completed::contains)
            && step.parents.stream().allMatch(p -> p.state == State.COMPLETE)) {
          handOff(step);
        }
      }
    }

    void conclude() {
      if (isOver()) {
        return;
      }
      boolean failed = steps.values().stream().anyMatch(s -> s.state == State.ERROR);
      boolean retrying = steps.values().stream().anyMatch(s -> s.state == State.WAITING_FOR_RETRY);
      if (steps.values().stream().anyMatch(Step::isInFlight)) {
        task = "steps_in_process";
      } else if (isCancelled) {
        task = "cancelled";
      } else if (steps.values().stream().allMatch(s -> s.state == State.COMPLETE)) {
        task = "complete";
      } else if (failed && (!continueOnError || !retrying)) {
        task = "blocked_by_failures";
      } else {
        task = retrying ? "waiting_for_retry" : "waiting_for_dependencies";
      }
    }

    void complete(Map<Step, String> outcomes, Map<Step, Instant> retries, Instant now) {
      Set<Step> completed = new HashSet<>();
      outcomes.forEach((step, outcome) -> {
        step.leaseEnd = null;
        if (outcome.equals("success")) {
          step.state = State.COMPLETE;
          completed.add(step);
        } else if (outcome.equals("retryable_failure") && step.mayBeTriedAgain()) {
          step.state = isCancelled ? State.CANCELLED : State.WAITING_FOR_RETRY;
          step.retryAt = isCancelled ? null : retries.get(step);
        } else if (outcome.equals("cancelled") && isCancelled) {
          step.state = State.CANCELLED;
        } else {
          step.state = State.ERROR;
        }
      });
      startChildrenOf(completed);
      conclude();
    }

    void cancel(Instant now) {
      if (isOver() || isCancelled) {
        return;
      }
      isCancelled = true;
      forceAt = now.plusSeconds(30);
      steps.values().stream()
          .filter(s -> s.state == State.PENDING || s.state == State.ENQUEUED
              || s.state == State.WAITING_FOR_RETRY)
          .forEach(s -> {
            // An offer that is revoked was no attempt.
            s.attempts -= s.state == State.ENQUEUED ? 1 : 0;
            s.state = State.CANCELLED;
            s.retryAt = null;
          });
      conclude();
    }

    /** A worker gives back what it has not started: the handoff is spent, the attempt is not. */
    void release(List<Step> released, Instant now) {
      released.forEach(step -> {
        step.leaseEnd = null;
        step.attempts--;
        step.state = isCancelled ? State.CANCELLED : State.PENDING;
      });
      startWhatIsReady(now);
      conclude();
    }

    /** What a run of the fallback poller does to a due task. */
    void advance(Instant now) {
      recover(now);
      startWhatIsReady(now);
      conclude();
    }

    /**
     * Leases that have ended, and steps that were asked to stop and have not in their time of
     * grace.
     */
    void recover(Instant now) {
      for (Step step : steps.values()) {
        if (step.state == State.IN_PROGRESS
            && (!step.leaseEnd.isAfter(now) || (isCancelled && !forceAt.isAfter(now)))) {
          step.leaseEnd = null;
          step.state = isCancelled ? State.CANCELLED
              : step.mayBeTriedAgain() ? State.PENDING : State.ERROR;
        }
      }
    }

    void startWhatIsReady(Instant now) {
      if (mayStart()) {
        for (Step step : steps.values()) {
          boolean due = step.state == State.WAITING_FOR_RETRY && !step.retryAt.isAfter(now);
          boolean ready = step.state == State.PENDING
              && step.parents.stream().allMatch(p -> p.state == State.COMPLETE);
          if (due || ready) {
            handOff(step);
          }
        }
      }
    }

    /** What an orchestrator does with the results that worker-only servers have submitted. */
    void settle(Map<Step, Instant> retries, Instant now) {
      Map<Step, String> outcomes = new LinkedHashMap<>();
      steps.values().stream().filter(step -> step.state == State.RESULT_SUBMITTED)
          .forEach(step -> outcomes.put(step, step.outcome));
      complete(outcomes, retries, now);
      startWhatIsReady(now);
      conclude();
    }

    /** A worker-only server's part: an orchestrator does the rest. */
    void submitResults(Step step, String outcome) {
      step.leaseEnd = null;
      boolean stopped = outcome.equals("cancelled") && isCancelled;
      step.outcome = outcome.equals("cancelled") && !isCancelled ? "permanent_failure" : outcome;
      step.state = stopped ? State.CANCELLED : State.RESULT_SUBMITTED;
    }

    /** An operator's move of a failed step. */
    void act(Step step, String to, Instant now) {
      if (to.equals("pending")) {
        step.state = State.PENDING;
        step.attemptsBeforeReset = step.attempts;
      } else {
        step.state = State.COMPLETE;
        startChildrenOf(Set.of(step));
      }
      startWhatIsReady(now);
      conclude();
    }
  }

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void rows_do_what_the_model_does(@ForAll long seed) {
    TestDatabase.get().reset();
    Random random = new Random(seed);
    Model model = new Model(random.nextBoolean());
    Dag.Task task = model.randomGraph(random, 1 + random.nextInt(30)).started();
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      model.begin(sql, task);
      Instant now = sql.instant("select clock_timestamp()");
      List<Claim> seen = new ArrayList<>();
      double failures = random.nextDouble() * 0.4;
      for (int command = 0; command < 150 && !model.isOver(); command++) {
        now = now.plusMillis(1 + random.nextInt(3000));
        worker.at(now);
        switch (random.nextInt(10)) {
          case 0, 1, 2, 3 -> claim(worker, model, seen, now, 1 + random.nextInt(6));
          case 4, 5, 6 -> finish(worker, model, seen, now, random, failures);
          case 7 -> {
            if (random.nextBoolean()) {
              tellLies(worker, model, seen, random);
            } else {
              release(sql, worker, model, seen, now, random);
            }
          }
          case 8 -> {
            if (random.nextInt(8) == 0) {
              now = now.plusSeconds(61);
            }
            check(sql, worker.at(now), task, model, now);
          }
          default -> {
            if (random.nextInt(25) == 0) {
              sql.text("select tasker.request_cancel(?, 'model', 'luck', p_now => ?)", task.uuid(),
                  now);
              model.cancel(now);
            } else if (random.nextInt(3) == 0) {
              grow(sql, task, model, now, random);
            }
          }
        }
        compare(sql, task, model, "seed " + seed + ", command " + command);
      }
    }
    RunRecord.replayed(EngineModelTest.class, TaskerAssertions.assertThatHistoryIsSound());
  }

  private static void claim(SqlWorker worker, Model model, List<Claim> seen, Instant now,
      int limit) {
    long offered = model.steps.values().stream().filter(s -> s.state == State.ENQUEUED).count();
    List<Claim> claims = worker.claim(limit);
    assertThat((long) claims.size()).isEqualTo(Math.min(offered, limit));
    for (Claim claim : claims) {
      Step step = model.steps.get(claim.step());
      assertThat(step.state).isEqualTo(State.ENQUEUED);
      assertThat(claim.handoff()).isEqualTo(step.handoffs);
      assertThat(claim.attempt()).isEqualTo(step.attempts);
      step.state = State.IN_PROGRESS;
      step.leaseEnd = now.plusSeconds(60);
      seen.add(claim);
    }
  }

  /** Submits a random part of what is running, each step twice every now and then. */
  private static void finish(SqlWorker worker, Model model, List<Claim> seen, Instant now,
      Random random, double failures) {
    Map<Step, String> outcomes = new LinkedHashMap<>();
    Map<Step, Instant> retries = new HashMap<>();
    List<Result> results = new ArrayList<>();
    int doubled = 0;
    for (Claim claim : seen) {
      Step step = model.steps.get(claim.step());
      if (step.state != State.IN_PROGRESS || step.handoffs != claim.handoff()
          || random.nextBoolean()) {
        continue;
      }
      double luck = random.nextDouble();
      Result result;
      if (luck < failures / 4) {
        result = claim.permanentFailure();
      } else if (luck < failures / 3) {
        result = claim.cancelled();
      } else if (luck < failures) {
        int delay = random.nextInt(10_000);
        retries.put(step, now.plusMillis(delay));
        result = claim.retryableFailure(delay);
      } else {
        result = claim.success();
      }
      outcomes.put(step, result.json().getString("outcome"));
      results.add(result);
      if (random.nextInt(10) == 0) {
        results.add(result);
        doubled++;
      }
    }
    JsonObject answer = worker.complete(0, results);
    assertThat(answer.getJsonArray("refused")).hasSize(doubled);
    model.complete(outcomes, retries, now);
  }

  /**
   * Gives back a part of what is running, and again what is not this worker's any more, which moves
   * nothing.
   */
  private static void release(Sql sql, SqlWorker worker, Model model, List<Claim> seen, Instant now,
      Random random) {
    JsonArrayBuilder steps = Json.createArrayBuilder();
    List<Step> released = new ArrayList<>();
    boolean isAny = false;
    for (Claim claim : seen) {
      Step step = model.steps.get(claim.step());
      if (random.nextInt(3) == 0) {
        isAny = true;
        steps.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString())
            .add("task_uuid", claim.task().toString())
            .add("handoff", claim.handoff()));
        if (step.state == State.IN_PROGRESS && step.handoffs == claim.handoff()) {
          released.add(step);
        }
      }
    }
    if (isAny) {
      sql.text("select tasker.release_steps(?, ?, ?)", steps.build(), worker.uuid(), now);
      model.release(released, now);
    }
  }

  /**
   * Results of attempts that are over, of attempts that never were and of steps that are not there
   * change nothing.
   */
  private static void tellLies(SqlWorker worker, Model model, List<Claim> seen, Random random) {
    List<Result> lies = new ArrayList<>();
    for (Claim claim : seen) {
      Step step = model.steps.get(claim.step());
      boolean isOver = step.state != State.IN_PROGRESS || step.handoffs != claim.handoff();
      if (random.nextInt(3) == 0) {
        lies.add(isOver ? claim.success()
            : claim.asHandoff(claim.handoff() + (random.nextBoolean() ? 1 : -1)).success());
      }
    }
    lies.add(new Claim(UUID.randomUUID(), UUID.randomUUID(), 1, null).success());
    JsonObject answer = worker.complete(0, lies);
    assertThat(answer.getJsonArray("refused")).hasSize(lies.size());
    assertThat(answer.getJsonArray("refused").stream().map(JsonValue::asJsonObject)
        .map(r -> r.getString("verdict")))
        .allMatch(Set.of("STALE", "ALREADY", "UNKNOWN")::contains);
  }

  /**
   * Adds up to three steps below, above and beside the existing ones; a task that is being
   * cancelled refuses them.
   */
  private static void grow(Sql sql, Dag.Task task, Model model, Instant now, Random random) {
    List<Step> present = new ArrayList<>(model.steps.values());
    List<Step> added = new ArrayList<>();
    JsonArrayBuilder steps = Json.createArrayBuilder();
    JsonArrayBuilder edges = Json.createArrayBuilder();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      Step origin = model.order.get(random.nextInt(model.order.size()));
      Step step = new Step("g" + (present.size() + added.size() + 1), origin.maxAttempts,
          origin.retryable);
      steps.add(Json.createObjectBuilder().add("name", step.name).add("step", origin.name));
      for (Step other : present) {
        if (random.nextDouble() < 2.0 / present.size()) {
          step.parents.add(other);
          edges.add(Json.createObjectBuilder().add("from", other.name).add("to", step.name));
        }
      }
      if (!added.isEmpty() && random.nextBoolean()) {
        Step other = added.get(added.size() - 1);
        step.parents.add(other);
        edges.add(Json.createObjectBuilder().add("from", other.name).add("to", step.name));
      }
      for (Step other : present) {
        boolean neverLeftPending = other.state == State.PENDING && other.handoffs == 0;
        if (!model.isCancelled && neverLeftPending && random.nextInt(4) == 0
            && !isBelow(step, other)) {
          other.parents.add(step);
          edges.add(Json.createObjectBuilder().add("from", step.name).add("to", other.name));
        }
      }
      added.add(step);
    }
    JsonObject answer = sql.object("select tasker.add_steps(?, ?, ?, p_now => ?)", task.uuid(),
        steps.build(), edges.build(), now);
    assertThat(answer.getString("outcome")).as(answer.toString())
        .isEqualTo(model.isCancelled ? "refused" : "done");
    if (!model.isCancelled) {
      for (int i = 0; i < added.size(); i++) {
        added.get(i).uuid = UUID
            .fromString(answer.getJsonArray("steps").getJsonObject(i).getString("step_uuid"));
        model.steps.put(added.get(i).uuid, added.get(i));
      }
      if (added.stream().anyMatch(
          step -> step.parents.stream().allMatch(parent -> parent.state == State.COMPLETE))) {
        model.startWhatIsReady(now);
        model.conclude();
      }
    }
  }

  private static boolean isBelow(Step step, Step other) {
    return step == other || step.parents.stream().anyMatch(parent -> isBelow(parent, other));
  }

  private static void check(Sql sql, SqlWorker worker, Dag.Task task, Model model, Instant now) {
    // The fallback poller runs when it is due; here it runs at random times.
    sql.run("update tasker.task_wakeups set wake_at = ? where task_uuid = ?", now, task.uuid());
    boolean looksAt = sql.isTrue("select exists (select from tasker.task_wakeups)");
    JsonObject answer = worker.advance();
    assertThat(answer.getInt("tasks")).isEqualTo(looksAt ? 1 : 0);
    if (looksAt) {
      model.advance(now);
    }
  }

  private static void compare(Sql sql, Dag.Task task, Model model, String where) {
    Map<String, String> rows = new HashMap<>();
    sql.rows(
        "select coalesce(s.name, n.name) as name, concat_ws(' ', s.state, s.handoffs, s.attempts) as is_now from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid)")
        .forEach(row -> rows.put((String) row.get("name"), (String) row.get("is_now")));
    Map<String, String> expected = new HashMap<>();
    model.steps.values()
        .forEach(s -> expected.put(s.name, s.state.name().toLowerCase(java.util.Locale.ROOT) + " "
            + s.handoffs + " " + s.attempts));
    assertThat(rows).as(where).isEqualTo(expected);
    assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
        .as(where).isEqualTo(model.task);
  }
}
