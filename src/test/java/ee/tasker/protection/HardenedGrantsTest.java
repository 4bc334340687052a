package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.TestDatabase;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * db/optional/hardened-grants.sql on a database of its own whose owner is no superuser, with a
 * login for each of the roles.
 */
@DatabaseTest
class HardenedGrantsTest {
  private static final List<String> ACTORS = List.of("orchestrator", "worker", "recovery",
      "operator", "api", "reader", "server");
  private static final String NO_PERMISSION = "42501";

  private final Sql sql = Sql.open();
  private final UUID server = UUID.randomUUID();

  @BeforeAll
  static void harden() throws SQLException, IOException {
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("create role hardened_owner login createrole");
      statement.execute("create database hardened owner hardened_owner");
    }
    SchemaInstaller.install(TestDatabase.get().database("hardened", "hardened_owner"));
    TestDatabase.guard(TestDatabase.get().database("hardened", "hardened_owner"));
    apply(optional());
    try (
        Connection owner = TestDatabase.get().database("hardened", "hardened_owner")
            .getConnection();
        Statement statement = owner.createStatement()) {
      for (String actor : ACTORS) {
        statement.execute("create role hardened_" + actor + " login in role tasker_" + actor);
      }
    }
    TestDatabase.get().switchTo("hardened");
  }

  @AfterAll
  static void dropIt() throws SQLException {
    TestDatabase.get().switchTo(null);
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("drop database hardened with (force)");
      for (String actor : ACTORS) {
        statement.execute("drop role hardened_" + actor);
        statement.execute("drop role tasker_" + actor);
      }
      statement.execute("drop role hardened_owner");
    }
  }

  private static String optional() throws IOException {
    return Files.readString(Path.of(System.getProperty("tasker.checkout", "."), "db", "optional",
        "hardened-grants.sql"));
  }

  private static void apply(String script) throws SQLException {
    try (
        Connection owner = TestDatabase.get().database("hardened", "hardened_owner")
            .getConnection();
        Statement statement = owner.createStatement()) {
      statement.execute(script);
    }
  }

  private static Sql as(String actor) {
    return Sql.openAs("hardened_" + actor);
  }

  private List<Claim> claim(Sql worker, int leaseSeconds) {
    return SqlWorker.claims(worker.array(
        "select tasker_worker.claim_steps(?, 10, p_lease_seconds => ?)", server, leaseSeconds));
  }

  private void submitResults(Sql worker, SqlWorker.Result result) {
    assertThat(worker
        .object("select tasker_worker.complete_steps(?, ?)",
            Json.createArrayBuilder().add(result.json()).build(), server)
        .getJsonArray("refused")).isEmpty();
  }

  private static String move(String actor) {
    return "select tasker_" + actor + ".transition_step_state_atomic(?, ?, ?, ?, null)";
  }

  @Test
  void O1_orchestrators_login_cannot_end_what_a_worker_runs() {
    Dag.of("a").started();
    try (Sql orchestrator = as("orchestrator"); Sql worker = as("worker")) {
      Claim claim = claim(worker, 60).get(0);
      for (String to : List.of("complete", "error", "cancelled", "enqueued_for_orchestration",
          "enqueued_as_error_for_orchestration")) {
        assertThatDatabaseRefuses("TK005",
            () -> orchestrator.text(move("orchestrator"), claim.step(), 1, "in_progress", to));
        // Nor by saying that it is the worker.
        assertThatDatabaseRefuses(NO_PERMISSION,
            () -> orchestrator.text(move("worker"), claim.step(), 1, "in_progress", to));
        assertThatDatabaseRefuses(NO_PERMISSION, () -> orchestrator
            .text(
                "select tasker.transition_step_state_atomic(?, 1, 'in_progress', ?, 'worker', null)",
                claim.step(), to));
      }
      String result = Json.createArrayBuilder().add(claim.success().json()).build().toString();
      for (String schema : List.of("tasker", "tasker_worker")) {
        assertThatDatabaseRefuses(NO_PERMISSION,
            () -> orchestrator.text("select " + schema + ".complete_steps(?::jsonb, ?)", result,
                server));
      }
      assertThatStep(claim.step()).isIn("in_progress").went("pending", "enqueued", "in_progress");
    }
  }

  @Test
  void O2_workers_login_cannot_move_what_was_not_handed_off() {
    Dag.Task task = Dag.of("a").submitted();
    try (Sql worker = as("worker")) {
      for (String to : sql.texts("select unnest(enum_range(null::tasker.step_state))")) {
        assertThatDatabaseRefuses("TK005",
            () -> worker.text(move("worker"), task.step("a"), 0, "pending", to));
        assertThatDatabaseRefuses(NO_PERMISSION,
            () -> worker.text(move("orchestrator"), task.step("a"), 0, "pending", to));
      }
      for (String call : List.of("tasker.evaluate_tasks(null, null)",
          "tasker_orchestrator.evaluate_tasks(null, null)",
          "tasker.complete_steps('[]', null)", "tasker_recovery.advance_due_tasks(null)")) {
        assertThatDatabaseRefuses(NO_PERMISSION, () -> worker.text("select " + call));
      }
    }
    assertThatStep(task.step("a")).isIn("pending").went("pending");
  }

  @Test
  void O2_worker_hands_back_and_what_follows_is_left_to_an_orchestrator() {
    Dag.Task task = Dag.linear(2).started();
    try (Sql worker = as("worker")) {
      Claim claim = claim(worker, 60).get(0);
      assertThatDatabaseRefuses("42883",
          () -> worker.text("select tasker_worker.complete_steps('[]', null, p_settle => true)"));
      submitResults(worker, claim.success());
    }
    assertThatStep(task.step("s1")).isIn("enqueued_for_orchestration");
    assertThatStep(task.step("s2")).isIn("pending");
  }

  @Test
  void O3_apis_login_can_write_no_step_state() {
    Dag.Task task = Dag.of("a").started();
    try (Sql api = as("api")) {
      for (String write : List.of("update tasker.workflow_steps set state = 'complete'",
          "delete from tasker.workflow_steps",
          "truncate tasker.workflow_steps",
          "insert into tasker.workflow_steps (state) values ('pending')",
          "insert into tasker.step_moves (to_state) values ('complete')",
          "insert into tasker.workflow_step_result_audit (outcome) values ('success')",
          "select from tasker.workflow_steps for update")) {
        assertThatDatabaseRefuses(NO_PERMISSION, () -> api.run(write));
      }
      for (String actor : List.of("orchestrator", "worker", "recovery", "operator")) {
        assertThatDatabaseRefuses(NO_PERMISSION,
            () -> api.text(move(actor), task.step("a"), 1, "enqueued", "in_progress"));
      }
    }
    // What it can call at all.
    assertThat(sql.texts(
        "select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname ~ '^(tasker|pgmq)' "
            + "and n.nspname <> 'tasker_reader' and has_schema_privilege('hardened_api', n.oid, 'usage') and has_function_privilege('hardened_api', p.oid, 'execute')"))
        .containsExactlyInAnyOrder("tasker_api.submit_task", "tasker_api.submit_tasks",
            "tasker_api.send_signal", "tasker_api.queue_signal",
            "tasker_api.request_cancel");
    assertThatStep(task.step("a")).isIn("enqueued").went("pending", "enqueued");
  }

  @Test
  void O4_recoverys_login_cannot_say_what_time_it_is() {
    Dag.Task task = Dag.of("a").started();
    try (Sql recovery = as("recovery"); Sql worker = as("worker")) {
      Claim claim = claim(worker, 60).get(0);
      sql.run("update tasker.task_wakeups set wake_at = now()");
      assertThatDatabaseRefuses("42883",
          () -> recovery.text(
              "select tasker_recovery.advance_due_tasks(?, p_now => now() + interval '1 day')",
              server));
      recovery.text("select tasker_recovery.advance_due_tasks(?)", server);
      assertThat(recovery.isTrue(move("recovery"), claim.step(), 1, "in_progress", "pending"))
          .isFalse();
      assertThatStep(claim.step()).isIn("in_progress");
    }
    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void O5_no_login_of_an_actor_can_write_a_table_or_a_queue() {
    Dag.of("a").started();
    for (String actor : ACTORS) {
      try (Sql session = as(actor)) {
        for (String table : List.of("tasks", "workflow_steps")) {
          assertThatDatabaseRefuses(NO_PERMISSION,
              () -> session.run("update tasker." + table + " set state = 'complete'"));
          assertThatDatabaseRefuses(NO_PERMISSION,
              () -> session.run("update tasker." + table + " set state = state"));
        }
        assertThatDatabaseRefuses(NO_PERMISSION, () -> session.run("set role hardened_owner"));
        assertThatDatabaseRefuses(NO_PERMISSION,
            () -> session.run("select pgmq.purge_queue('worker_orders_queue')"));
        assertThatDatabaseRefuses(NO_PERMISSION, () -> session
            .run("create function tasker.mine() returns int language sql as 'select 1'"));
      }
    }
    assertThat(sql.texts(
        "select c.oid::regclass || ' ' || r.rolname || ' ' || right_name from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_roles r, "
            + "unnest(array['insert', 'update', 'delete', 'truncate', 'trigger', 'references']) right_name where n.nspname in ('tasker', 'pgmq') "
            + "and c.relkind in ('r', 'p', 'v') and r.rolname ~ '^(hardened|tasker)_' and r.rolname <> 'hardened_owner' and has_table_privilege(r.oid, c.oid, right_name)"))
        .isEmpty();
    assertThat(sql.texts(
        "select a.attrelid::regclass || '.' || a.attname || ' ' || r.rolname from pg_attribute a, pg_roles r where a.attname = 'state' "
            + "and a.attrelid in ('tasker.tasks'::regclass, 'tasker.workflow_steps'::regclass) and r.rolname ~ '^(hardened|tasker)_' and r.rolname <> 'hardened_owner' "
            + "and has_column_privilege(r.oid, a.attrelid, a.attnum, 'update')"))
        .isEmpty();
  }

  @Test
  void task_runs_to_its_end_with_a_login_for_each_of_its_actors() {
    Dag dag = Dag.diamond().maxAttempts(3);
    UUID task;
    try (Sql operator = as("operator");
        Sql api = as("api");
        Sql worker = as("worker");
        Sql orchestrator = as("orchestrator");
        Sql recovery = as("recovery");
        Sql reader = as("reader")) {
      assertThat(operator.object("select tasker_operator.register_template(?)", dag.normalForm())
          .getString("outcome")).isIn("registered",
              "unchanged");
      Dag.Template template = dag.registered();
      task = api.uuid("select tasker_api.submit_task(?, ?, ?, '{}', '{\"context_checked\": true}')",
          template.namespace(), template.name(),
          template.version());

      // The first worker dies, and recovery gives the step to the next.
      assertThat(claim(worker, 0)).hasSize(1);
      sql.run("update tasker.task_wakeups set wake_at = now()");
      recovery.text("select tasker_recovery.advance_due_tasks(?)", server);
      Claim second = claim(worker, 60).get(0);
      assertThat(second.attempt()).isEqualTo(2);
      submitResults(worker, second.success());
      orchestrator.text("select tasker_orchestrator.process_step_results(?)", server);

      // One branch fails, and an operator has it run again.
      List<Claim> branches = new ArrayList<>(claim(worker, 60));
      assertThat(branches).hasSize(2);
      submitResults(worker, branches.get(0).permanentFailure());
      submitResults(worker, branches.get(1).success());
      orchestrator.text("select tasker_orchestrator.process_step_results(?)", server);
      assertThat(reader.text("select tasker_reader.get_current_task_state(?)", task))
          .isEqualTo("blocked_by_failures");
      assertThat(operator
          .object(
              "select tasker_operator.act_on_step(?, ?, 'reset_for_retry', 'ann', 'the bank is back')",
              task, branches.get(0).step())
          .getString("outcome")).isEqualTo("done");
      for (int rounds = 0; rounds < 2; rounds++) {
        claim(worker, 60).forEach(claim -> submitResults(worker, claim.success()));
        orchestrator.text("select tasker_orchestrator.process_step_results(?)", server);
      }
      assertThat(reader.text("select state from tasker.tasks where task_uuid = ?", task))
          .isEqualTo("complete");
      assertThat(reader.texts("select tasker_reader.check_history()")).isNotEmpty();
    }
    assertThatTask(task).isIn("complete");
    assertThat(sql.texts(
        "select distinct actor from tasker.workflow_step_transitions where task_uuid = ?", task))
        .containsExactlyInAnyOrder("orchestrator", "worker", "recovery", "operator");
  }

  @Test
  void servers_login_runs_a_task_by_the_functions_that_servers_call() {
    Dag dag = Dag.linear(2);
    Dag.Template template = dag.registered();
    try (Sql session = as("server")) {
      JsonArrayBuilder requests = Json.createArrayBuilder().add(dag.request(template));
      UUID task = UUID.fromString(
          session.object("select tasker.submit_tasks(?, ?, 0)", requests.build(), server)
              .getJsonArray("verdicts")
              .getJsonObject(0).getString("task_uuid"));
      SqlWorker worker = SqlWorker.in(session);
      worker.complete(worker.claimOne().success());
      worker.complete(worker.claimOne().success());
      assertThatTask(task).isIn("complete");
      assertThatDatabaseRefuses(NO_PERMISSION,
          () -> session.text(
              "select tasker.transition_step_state_atomic(null, 1, 'a', 'b', 'worker', null)"));
    }
  }

  @Test
  void after_an_upgrade_servers_are_refused_until_the_file_has_run_again()
      throws SQLException, IOException {
    apply(Mutation.read("R__claim_steps.sql"));
    try (Sql session = as("server")) {
      assertThatDatabaseRefuses(NO_PERMISSION,
          () -> session.array("select tasker.claim_steps(?, 1)", server));
      apply(optional());
      assertThat(session.array("select tasker.claim_steps(?, 1)", server)).isEmpty();
    }
  }

  @Test
  void reader_reads_every_table_and_calls_every_function_that_needs_no_argument() {
    try (Sql reader = as("reader")) {
      List<String> relations = sql
          .texts(
              "select c.oid::regclass from pg_class c where c.relnamespace = 'tasker'::regnamespace and c.relkind in ('r', 'p', 'v') "
                  + "and not c.relispartition and c.relname not in ('v_task_staleness_monitoring', 'access_users', 'access_keys', 'access_sessions', 'webhook_secrets')");
      assertThat(relations).hasSizeGreaterThan(20)
          .allSatisfy(relation -> assertThat(reader.number("select count(*) from " + relation))
              .isNotNegative());
      // They have hashes of passwords, keys and tokens of sessions, and secrets of webhooks.
      for (String secret : List.of("access_users", "access_keys", "access_sessions",
          "webhook_secrets")) {
        assertThatDatabaseRefuses(NO_PERMISSION,
            () -> reader.number("select count(*) from tasker." + secret));
      }
      List<String> functions = sql.texts(
          "select p.pronamespace::regnamespace || '.' || p.proname from pg_proc p where p.pronamespace = 'tasker_reader'::regnamespace and p.pronargs = p.pronargdefaults");
      assertThat(functions).hasSizeGreaterThan(15)
          .allSatisfy(
              function -> assertThat(reader.number("select count(*) from " + function + "()"))
                  .isNotNegative());
    }
  }

  @Test
  void server_may_call_what_the_servers_call_and_no_more() throws IOException {
    Pattern call = Pattern.compile(
        "\\b(?:sql|functions|reads)\\s*\\.(?:json|object|array|answer|flag|text|run)\\(\\s*\"([a-z_]+)\\(");
    Set<String> called = new TreeSet<>();
    try (Stream<Path> sources = Files
        .walk(Path.of(System.getProperty("tasker.checkout", "."), "src", "main", "java"))) {
      for (Path source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        call.matcher(Files.readString(source)).results()
            .forEach(found -> called.add(found.group(1)));
      }
    }
    // Around those of which callers may ask for less.
    called.add("limit_answer");
    assertThat(sql.texts(
        "select p.proname from pg_proc p where p.pronamespace = 'tasker'::regnamespace and has_function_privilege('tasker_server', p.oid, 'execute')"))
        .containsExactlyInAnyOrderElementsOf(called).hasSizeGreaterThan(40);
    assertThat(sql.texts(
        "select p.proname from pg_proc p where p.pronamespace::regnamespace::text ~ '^tasker' and p.prosecdef "
            + "and (p.proowner <> 'hardened_owner'::regrole or not p.proconfig @> array['search_path=pg_catalog, pg_temp'])"))
        .isEmpty();
  }
}
