package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The tables of what is under way (live workers, open waits, wake-ups, notices) are often empty,
 * and a plan that was made then reads all of such a table for
 * each step unless the statement gives the planner no choice. So many tasks together must read no
 * more rows of them, per task, than few do.
 */
@DatabaseTest
class ReadsPerTaskTest {
  private static final List<String> TABLES = List.of("batch_live_workers", "batches", "batch_items",
      "step_waits", "task_wakeups",
      "task_notices", "decision_outcomes", "task_compensations", "unclaimed_offers");
  private static final String READS = "select relname || ' ' || seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables where schemaname = 'tasker'";

  private static Map<String, Long> reads(Sql session) {
    return session.texts(READS).stream().map(row -> row.split(" "))
        .filter(row -> TABLES.contains(row[0]))
        .collect(Collectors.toMap(row -> row[0], row -> Long.valueOf(row[1])));
  }

  private static boolean follows(Claim claim, String step) {
    return !claim.claimedStep().isNull("results")
        && claim.claimedStep().getJsonObject("results").containsKey(step);
  }

  /** Submits tasks in this session and runs them to their end, as one busy server would. */
  private static void run(Sql session, Dag dag, Dag.Template template, int tasks,
      Function<Claim, Result> outcome) {
    String request = dag.request(template).toString();
    session.text(
        "select tasker.submit_tasks((select jsonb_agg(?::jsonb) from generate_series(1, ?)))::text",
        request, tasks);
    SqlWorker worker = SqlWorker.in(session);
    do {
      for (List<Claim> claims = worker.claim(500); !claims.isEmpty(); claims = worker.claim(500)) {
        worker.complete(0, claims.stream().map(outcome).toList());
      }
    } while (worker.advance().getInt("tasks") > 0);
  }

  private static void readsNoMoreWithMany(Dag dag, int few, int many,
      Function<Claim, Result> outcome) {
    Dag.Template template = dag.registered();
    try (Sql before = Sql.session()) {
      run(before, dag, template, 30, outcome);
      before.commit();
    }
    try (Sql administration = Sql.open()) {
      administration.run("analyze");
    }
    try (Sql session = Sql.session()) {
      run(session, dag, template, 1, outcome);
      Map<String, Long> start = reads(session);
      run(session, dag, template, few, outcome);
      Map<String, Long> afterFew = reads(session);
      run(session, dag, template, many, outcome);
      Map<String, Long> afterMany = reads(session);
      assertThat(session.number("select count(*) from tasker.tasks where completed_at is null"))
          .as("tasks left").isZero();
      session.rollback();

      for (String table : TABLES) {
        double perTaskOfFew = (afterFew.getOrDefault(table, 0L) - start.getOrDefault(table, 0L))
            / (double) few;
        double perTaskOfMany = (afterMany.getOrDefault(table, 0L)
            - afterFew.getOrDefault(table, 0L)) / (double) many;
        assertThat(perTaskOfMany)
            .as("rows of %s that a task reads among %d tasks; among %d it reads %.1f", table, many,
                few, perTaskOfFew)
            .isLessThan(1.3 * perTaskOfFew + 5);
      }
    }
  }

  @Test
  void of_batches() {
    Dag dag = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 40}").step("join").dependsOn("work");
    readsNoMoreWithMany(dag, 2, 30, claim -> !claim.claimedStep().isNull("name")
        || follows(claim, "work") ? claim.success() : claim.batches(40));
  }

  @Test
  void of_workers_that_fail_and_are_retried() {
    Dag dag = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 10}").maxAttempts(2).step("join")
        .dependsOn("work");
    readsNoMoreWithMany(dag, 2, 30, claim -> {
      if (claim.claimedStep().isNull("name")) {
        return follows(claim, "work") ? claim.success() : claim.batches(20);
      }
      return claim.attempt() == 1 ? claim.retryableFailure(0) : claim.success();
    });
  }

  @Test
  void of_child_tasks() {
    Dag.Template child = Dag.of("x").registered();
    Dag dag = Dag.of("a").step("sub").dependsOn("a")
        .waitingOnly("{\"task\": {\"namespace\": \"" + child.namespace() + "\", \"name\": \""
            + child.name() + "\", \"context\": {\"fixed\": 1}}}")
        .step("b").dependsOn("sub");
    readsNoMoreWithMany(dag, 10, 300, Claim::success);
  }

  @Test
  void of_decisions() {
    Dag dag = Dag.of("a").step("route").dependsOn("a").decision().step("b").dependsOn("route");
    readsNoMoreWithMany(dag, 10, 300,
        claim -> follows(claim, "a") ? claim.decided("b") : claim.success());
  }

  @Test
  void of_compensations() {
    Dag dag = Dag.of("a").compensatedBy("undo", 1).step("b").dependsOn("a").compensatedBy("undo", 1)
        .step("c").dependsOn("b").maxAttempts(1)
        .lifecycle("on_failure", "compensate");
    readsNoMoreWithMany(dag, 10, 300,
        claim -> follows(claim, "b") && claim.claimedStep().isNull("name")
            ? claim.permanentFailure()
            : claim.success());
  }

  /** Submits what is requested and completes the steps, one of each task in a call. */
  private static void runOneByOne(SqlWorker worker, Sql session, String request, int tasks) {
    for (int task = 0; task < tasks; task++) {
      List<Claim> claims = SqlWorker
          .claims(
              session.object("select tasker.submit_tasks(?::jsonb, ?, 2)", request, worker.uuid())
                  .getJsonArray("claimed_steps"));
      while (!claims.isEmpty()) {
        claims = SqlWorker.claims(worker.complete(2, claims.stream().map(Claim::success).toList())
            .getJsonArray("claimed_steps"));
      }
    }
  }

  private static void singleRequestsReadNoMoreAfterMany(String request) {
    String rows = "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables where relname in ('tasks', 'workflow_steps')";
    try (Sql administration = Sql.open()) {
      administration.run("analyze");
    }
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      runOneByOne(worker, session, request, 10);
      long few = session.number(rows) / 10;
      runOneByOne(worker, session, request, 300);
      long many = (session.number(rows) - 10 * few) / 300;
      session.rollback();
      assertThat(many).as("rows that a task reads after 300 others; at first %d", few)
          .isLessThan(few + 20);
    }
  }

  @Test
  void of_single_requests_in_a_new_database() {
    Dag dag = Dag.linear(2);
    singleRequestsReadNoMoreAfterMany("[" + dag.request(dag.registered()) + "]");
  }

  /** Takes the way of several requests, and its steps that of single results. */
  private static String besideARefusedOne(String request) {
    return "[" + request + ", {\"namespace\": \"none\", \"name\": \"none\", "
        + "\"version\": \"1.0.0\", \"context\": {}}]";
  }

  @Test
  void of_pairs_of_requests_in_a_new_database() {
    Dag dag = Dag.linear(2);
    String request = dag.request(dag.registered()).toString();
    singleRequestsReadNoMoreAfterMany(besideARefusedOne(request));
  }

  @Test
  void of_single_requests_in_a_database_that_has_been_emptied() {
    Dag dag = Dag.linear(2);
    readNoMoreInADatabaseThatHasBeenEmptied("[" + dag.request(dag.registered()) + "]");
  }

  @Test
  void of_pairs_of_requests_in_a_database_that_has_been_emptied() {
    Dag dag = Dag.linear(2);
    String request = dag.request(dag.registered()).toString();
    readNoMoreInADatabaseThatHasBeenEmptied(besideARefusedOne(request));
  }

  private static void readNoMoreInADatabaseThatHasBeenEmptied(String request) {
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      runOneByOne(worker, session, request, 30);
      session.rollback();
    }
    singleRequestsReadNoMoreAfterMany(request);
  }

  /** Submits tasks that fan out, completes their first steps, and returns the last claims. */
  private static List<Claim> fannedOut(SqlWorker worker, Sql session, String request, int tasks) {
    List<Claim> claims = List.of();
    for (int task = 0; task < tasks; task++) {
      Claim start = SqlWorker.claims(session
          .object("select tasker.submit_tasks(jsonb_build_array(?::jsonb), ?, 2)", request,
              worker.uuid())
          .getJsonArray("claimed_steps")).get(0);
      claims = SqlWorker.claims(
          worker.complete(2, List.of(start.success())).getJsonArray("claimed_steps"));
    }
    return claims;
  }

  @Test
  void the_documents_of_claimed_steps_read_their_own_parents() {
    Dag dag = Dag.fanOut(2);
    String request = dag.request(dag.registered()).toString();
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      fannedOut(worker, session, request, 30);
      session.rollback();
    }
    try (Sql administration = Sql.open()) {
      administration.run("analyze");
    }
    String rows = "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables where relname = 'workflow_steps'";
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      List<Claim> claims = fannedOut(worker, session, request, 300);
      assertThat(claims).hasSize(2);
      long before = session.number(rows);
      for (int call = 0; call < 10; call++) {
        assertThat(session.text("select tasker.get_claimed_steps(array[?, ?]::uuid[])::text",
            claims.get(0).step(), claims.get(1).step())).contains("\"results\"");
      }
      long read = session.number(rows) - before;
      session.rollback();
      assertThat(read / 10).as("rows of steps for two documents among 1 200").isLessThan(20);
    }
  }

  @Test
  void an_evaluation_reads_the_waits_of_its_own_task() {
    List<Dag.Task> tasks = Dag.of("rest").waitingOnly("{\"wait\": {\"for\": \"PT3H\"}}")
        .started(400);
    try (SqlWorker worker = SqlWorker.open()) {
      worker.advance();
    }
    try (Sql session = Sql.session()) {
      assertThat(session.number("select count(*) from tasker.step_waits where state = 'open'"))
          .isEqualTo(400);
      Map<String, Long> before = reads(session);
      for (Dag.Task task : tasks.subList(0, 20)) {
        session.text("select tasker.evaluate_tasks(array[?]::uuid[], null)::text", task.uuid());
      }
      assertThat(reads(session).get("step_waits") - before.get("step_waits")).isLessThan(20 * 10);
      session.rollback();
    }
  }

  @Test
  void of_timers_that_are_due() {
    Dag dag = Dag.of("a").step("rest").dependsOn("a").waitingOnly("{\"wait\": {\"for\": \"PT0S\"}}")
        .step("b").dependsOn("rest");
    readsNoMoreWithMany(dag, 10, 300, Claim::success);
  }
}
