package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The figures of analytics against an independent count over the history, in one snapshot each
 * time, while random tasks are
 * submitted, worked, cancelled and acted upon by several sessions and roll-ups come when they like.
 * {@code -Danalytics.tasks=10000}
 * makes it as many tasks; the table of the last comparison is printed.
 */
@DatabaseTest
class AnalyticsUnderLoadTest {
  private static final int TASKS = Integer.getInteger("analytics.tasks", 400);
  private static final String[] TASK_STATES = {"pending", "initializing", "enqueuing_steps",
    "steps_in_process", "evaluating_results",
    "waiting_for_dependencies",
    "waiting_for_retry", "blocked_by_failures", "complete", "error", "cancelled",
    "resolved_manually"};

  private final AtomicInteger submitted = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();

  private static List<Dag> shapes() {
    return List.of(
        Dag.linear(3),
        Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("a").step("d").dependsOn("b", "c")
            .maxAttempts(2),
        Dag.of("a").maxAttempts(3), Dag.parallel(5),
        Dag.of("a").step("b").dependsOn("a").step("c").continueOnError());
  }

  @Test
  void figures_are_those_of_the_history_at_every_moment_of_random_load() throws Exception {
    long seed = Long.getLong("analytics.seed", System.nanoTime());
    System.out.println("AnalyticsUnderLoadTest: " + TASKS + " tasks, seed " + seed);
    String since = Sql.open().text("select clock_timestamp()::text");
    shapes().forEach(Dag::registered);
    List<CompletableFuture<Void>> load = new ArrayList<>();
    load.add(run(seed, this::submit));
    for (int i = 1; i <= 3; i++) {
      load.add(run(seed + i, this::work));
    }
    load.add(run(seed + 4, this::act));
    load.add(run(seed + 5, random -> repeat(() -> Sql.open(),
        session -> session.text("select tasker.roll_up_analytics()"), random, 300)));

    int comparisons = 0;
    Map<String, List<Object>> last = Map.of();
    try (Sql snapshot = Sql.session(); Sql observer = Sql.open()) {
      boolean ended = false;
      while (!ended) {
        ended = submitted.get() >= TASKS
            && observer.number("select count(*) from tasker.tasks where completed_at is null") == 0;
        last = compare(snapshot, since);
        comparisons++;
        last.forEach((what, pair) -> assertThat(pair.get(0)).as("%s, seed %s", what, seed)
            .isEqualTo(pair.get(1)));
        load.stream().filter(CompletableFuture::isCompletedExceptionally)
            .forEach(CompletableFuture::join);
      }
    }
    over.set(true);
    load.forEach(CompletableFuture::join);

    assertThat(comparisons).isGreaterThan(3);
    print(last, comparisons);
    assertThat(last.get("task_throughput").get(1)).isEqualTo(submitted.get() + "");
    // Ends in error are counted and not tasks that are in error: those may all have been taken up
    // again.
    for (String what : List.of("tasks complete", "error_count", "tasks cancelled",
        "tasks resolved_manually")) {
      assertThat(last.get(what).get(0)).as("the load brought some of " + what).isNotEqualTo("0");
    }
  }

  private CompletableFuture<Void> run(long seed, Consumer<Random> part) {
    return CompletableFuture.runAsync(() -> part.accept(new Random(seed)), task -> {
      Thread thread = new Thread(task, "load");
      thread.setDaemon(true);
      thread.start();
    });
  }

  private interface Opening {
    Sql open();
  }

  private void repeat(Opening opening, Consumer<Sql> act, Random random, int longestPauseMs) {
    try (Sql session = opening.open()) {
      while (!over.get()) {
        act.accept(session);
        session.text("select pg_sleep(?::float8)", random.nextInt(longestPauseMs) / 1000.0);
      }
    }
  }

  private void submit(Random random) {
    List<Dag> shapes = shapes();
    while (submitted.get() < TASKS) {
      int count = Math.min(TASKS - submitted.get(), 1 + random.nextInt(60));
      shapes.get(random.nextInt(shapes.size())).started(count);
      submitted.addAndGet(count);
    }
  }

  private void work(Random random) {
    try (SqlWorker worker = SqlWorker.open(); Sql session = Sql.open()) {
      while (!over.get()) {
        List<Claim> claims = worker.claim(1 + random.nextInt(80));
        List<Result> results = new ArrayList<>();
        for (Claim claim : claims) {
          int chance = random.nextInt(100);
          results.add(chance < 4 ? claim.permanentFailure()
              : chance < 10 ? claim.retryableFailure(1) : claim.success());
        }
        if (!results.isEmpty()) {
          worker.complete(0, results);
        } else {
          session.text("select pg_sleep(0.01)");
        }
        if (random.nextInt(4) == 0) {
          worker.advance();
        }
      }
    }
  }

  /** People: they cancel now and then, and close what is blocked in one way or another. */
  private void act(Random random) {
    repeat(Sql::open, session -> {
      session.texts(
          "select tasker.request_cancel(task_uuid, 'ann', 'chance')::text from (select task_uuid from tasker.tasks where completed_at is null order by random() limit 1) t");
      for (String task : session
          .texts(
              "select task_uuid from tasker.tasks where state in ('blocked_by_failures', 'error') order by random() limit 8")) {
        String state = session.text("select state::text from tasker.tasks where task_uuid = ?",
            task);
        String action = "error".equals(state) ? (random.nextInt(40) == 0 ? "retry" : null)
            : List.of("retry", "resolve", "fail").get(random.nextInt(3));
        if (action != null) {
          session.text("select tasker.act_on_task(?, ?, 'ann', 'chance')::text", task, action);
        }
      }
    }, random, 30);
  }

  /** What analytics say and what the history says, in one snapshot. */
  private static Map<String, List<Object>> compare(Sql snapshot, String since) {
    snapshot.run("set transaction isolation level repeatable read");
    Map<String, List<Object>> pairs = new LinkedHashMap<>();
    Map<String, Object> counts = snapshot.rows("select * from tasker.get_system_health_counts()")
        .get(0);
    Map<String, String> tasks = byKey(snapshot,
        "select h.to_state::text as key, count(*) as n from (select distinct on (task_uuid) task_uuid, to_state from tasker.task_transitions order by task_uuid, sort_key desc) h group by 1");
    for (String state : TASK_STATES) {
      pairs.put("tasks " + state,
          pair(counts.get(state + "_tasks"), tasks.getOrDefault(state, "0")));
    }
    Map<String, String> steps = byKey(snapshot,
        "select h.to_state::text as key, count(*) as n from (select distinct on (workflow_step_uuid) workflow_step_uuid, to_state "
            + "from tasker.workflow_step_transitions order by workflow_step_uuid, sort_key desc) h group by 1");
    for (String state : snapshot
        .texts("select unnest(enum_range(null::tasker.step_state))::text")) {
      pairs.put("steps " + state,
          pair(counts.get(state + "_steps"), steps.getOrDefault(state, "0")));
    }
    Map<String, Object> reported = snapshot
        .rows("select * from tasker.get_analytics_metrics(?::timestamptz)", since).get(0);
    Map<String, Object> history = snapshot.rows("""
        with ends as (
          select h.task_uuid, h.created_at, h.to_state, row_number() over (partition by h.task_uuid order by h.sort_key) as number,
                 lag(h.created_at) over (partition by h.task_uuid order by h.sort_key) as before
          from tasker.task_transitions h where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually')
        ), halts as (
          select h.task_uuid, h.created_at, lag(h.created_at) over (partition by h.task_uuid order by h.sort_key) as before
          from tasker.task_transitions h where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually', 'blocked_by_failures')
        ), begun as (select h.task_uuid, h.created_at from tasker.task_transitions h where h.sort_key = 1)
        select (select count(*) from begun) as created,
               (select count(*) from ends where to_state = 'complete') as completed,
               (select count(*) from ends where to_state = 'error') as failed,
               (select coalesce(round(avg(extract(epoch from e.created_at - t.created_at)), 9), 0) from ends e join tasker.tasks t using (task_uuid)) as duration,
               (select count(*) from halts e join tasker.workflow_step_result_audit r on r.task_uuid = e.task_uuid
                where r.execution_time_ms is not null and r.recorded_at <= e.created_at and (e.before is null or r.recorded_at > e.before)) as executions
        """).get(0);
    pairs.put("task_throughput", pair(reported.get("task_throughput"), history.get("created")));
    pairs.put("completion_count", pair(reported.get("completion_count"), history.get("completed")));
    pairs.put("error_count", pair(reported.get("error_count"), history.get("failed")));
    BigDecimal counted = (BigDecimal) history.get("duration");
    BigDecimal told = (BigDecimal) reported.get("avg_task_duration");
    // Told to the microsecond; rounding each of them to fewer digits made them differ once.
    pairs.put("avg_task_duration",
        pair(told.subtract(counted).abs().compareTo(new BigDecimal("0.00001")) < 0 ? counted : told,
            counted));
    pairs.put("step_throughput", pair(reported.get("step_throughput"), history.get("executions")));
    Map<String, String> ends = byKey(snapshot,
        "select t.named_task_uuid::text as key, count(*) as n from tasker.task_transitions h join tasker.tasks t using (task_uuid) "
            + "where h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually') group by 1");
    Map<String, String> slowest = byKey(snapshot,
        "select named_task_uuid::text as key, execution_count as n from tasker.get_slowest_tasks_aggregated('"
            + since + "', 1000, 1)");
    new java.util.TreeSet<>(ends.keySet())
        .forEach(template -> pairs.put("ends of template " + template.substring(24),
            pair(slowest.get(template), ends.get(template))));
    assertThat(slowest.keySet()).isEqualTo(ends.keySet());
    snapshot.rollback();
    return pairs;
  }

  private static Map<String, String> byKey(Sql sql, String query) {
    Map<String, String> counts = new LinkedHashMap<>();
    sql.rows(query).forEach(row -> counts.put((String) row.get("key"), row.get("n").toString()));
    return counts;
  }

  private static List<Object> pair(Object reported, Object counted) {
    return List.of(String.valueOf(reported), String.valueOf(counted));
  }

  private static void print(Map<String, List<Object>> pairs, int comparisons) {
    System.out.printf("%-46s %12s %12s   (last of %d comparisons)%n", "", "analytics", "history",
        comparisons);
    pairs.forEach(
        (what, pair) -> System.out.printf("%-46s %12s %12s%n", what, pair.get(0), pair.get(1)));
  }
}
