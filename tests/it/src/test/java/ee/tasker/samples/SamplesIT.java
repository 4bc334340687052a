package ee.tasker.samples;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Every case of every sample, through the front door; then what it left behind, in SQL. */
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SamplesIT {
  /**
   * Other suites use the same server, and act on their own tasks, never on these; the one that
   * follows the README also submits a task with psql.
   */
  private static final String SAMPLE_TASKS = """
      select s.task_uuid from tasker.tasks s join tasker.named_tasks n on n.named_task_uuid = s.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = n.task_namespace_uuid where ns.name not in ('testing', 'answers', 'shop', 'contract') and not starts_with(ns.name, 'remote')
      and exists (select from tasker.task_contexts c where c.task_uuid = s.task_uuid and c.submitted_by is not null)""";
  private static final Path SAMPLES = Path.of(System.getProperty("tasker.checkout", "."),
      "samples");

  private final TaskerClient tasker;
  private List<SampleRunner.Outcome> outcomes;

  SamplesIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @BeforeAll
  void run_every_case() throws Exception {
    outcomes = new SampleRunner(tasker.base(), SAMPLES, true, Login.FOR_TESTS.basic()).run();
  }

  @Test
  void every_case_ends_as_expected() throws Exception {
    assertThat(outcomes).hasSameSizeAs(SampleCase.in(SAMPLES)).hasSizeGreaterThan(50);
    assertThat(outcomes).filteredOn(outcome -> !outcome.ok()).isEmpty();
  }

  @Test
  void steps_visit_every_state_that_needs_neither_a_cancel_nor_an_operator() {
    List<String> visited = tasker
        .sql("select distinct to_state::text as state from tasker.workflow_step_transitions")
        .stream()
        .map(row -> (String) row.get("state")).toList();

    assertThat(visited).contains("pending", "enqueued", "in_progress", "enqueued_for_orchestration",
        "enqueued_as_error_for_orchestration", "waiting_for_retry", "complete", "error");
  }

  @Test
  void history_is_legal_gapless_and_ends_in_the_state_of_its_row() {
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Test
  void every_move_names_its_actor_its_processor_and_its_attempt() {
    assertThat(tasker.sql(
        "select * from tasker.task_transitions t where (actor is null or processor_uuid is null) and t.task_uuid in ("
            + SAMPLE_TASKS + ")"))
        .isEmpty();
    assertThat(tasker.sql(
        "select * from tasker.workflow_step_transitions t where (actor is null or processor_uuid is null or attempt is null) and t.task_uuid in ("
            + SAMPLE_TASKS + ")"))
        .isEmpty();
    // A decision by rules is made without an attempt, and a batch step is ended without one, by the
    // engine or an operator.
    assertThat(tasker.sql(
        "select * from tasker.workflow_step_transitions where to_state not in ('pending', 'cancelled') and attempt < 1 "
            + "and not (from_state = 'pending' and to_state in ('complete', 'error') and actor = 'orchestrator') and actor <> 'operator'"))
        .isEmpty();
    assertThat(
        tasker.count("select count(distinct processor_uuid) from tasker.workflow_step_transitions t"
            + " where t.task_uuid in (" + SAMPLE_TASKS
            + ") and not exists (select from tasker.servers s where s.server_uuid = t.processor_uuid)"))
        .isZero();
  }

  @Test
  void no_message_is_left_on_any_queue() {
    Map<String, Long> left = History.messages(tasker);
    // The tests of handlers and of workers leave offers there that no worker serves.
    left.remove("worker_testing_queue");
    left.remove("worker_contract_queue");
    assertThat(left).isEmpty();
  }

  @Test
  void a_blocked_task_has_a_dead_letter_and_no_other_task_has_one() {
    assertThat(tasker.sql(
        """
        select t.task_uuid, t.state from tasker.tasks t
        where t.task_uuid in (%s) and (t.state = 'blocked_by_failures') <> exists (
          select from tasker.tasks_dlq d where d.task_uuid = t.task_uuid and d.resolution_status = 'pending')"""
            .formatted(SAMPLE_TASKS)))
        .isEmpty();
  }

  @Test
  void inventory_report_equals_what_the_database_computes_from_the_raw_file() throws Exception {
    UUID task = (UUID) tasker.value(
        """
        select t.task_uuid from tasker.tasks t join tasker.named_tasks n on n.named_task_uuid = t.named_task_uuid
        where n.name = 'inventory_report' and t.state = 'complete' order by t.task_uuid desc limit 1""");
    JsonObject report = tasker.steps(task).get("report_inventory").getJsonObject("result");
    String raw;
    try (
        var in = SamplesIT.class.getClassLoader().getResourceAsStream("inventory_fact_1997.json")) {
      raw = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    String check = Files.readString(SAMPLES.resolve("inventory_report/check.sql"));

    assertThat(tasker.value("select (" + check.replace("$1::text", "?::text") + ") = ?::jsonb", raw,
        report.toString())).isEqualTo(true);
    assertThat(report.getJsonObject("totals").getInt("row_count")).isEqualTo(4070);
  }
}
