package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Complete life cycles of tasks, driven with psql alone. */
@DatabaseTest
class ScenarioTest {
  @Test
  void psql_alone_submits_a_linear_task_works_its_four_steps_and_sees_it_complete() {
    Dag.Template template = Dag.linear(4).registered();
    try (Sql psql = Sql.open()) {
      UUID task = psql.uuid("select tasker.submit_task('orders', ?, '1', '{\"order\": 7}')",
          template.name());

      for (int step = 1; step <= 4; step++) {
        String claimed = psql.text("select tasker.claim_steps(gen_random_uuid(), 10)");
        assertThat(psql.number("select jsonb_array_length(?::jsonb)", claimed)).isEqualTo(1);
        psql.text("select tasker.complete_steps(jsonb_build_array(jsonb_build_object("
            + "'step_uuid', c -> 'step_uuid', 'task_uuid', c -> 'task_uuid', 'handoff', c -> 'handoff', "
            + "'outcome', 'success', 'result', '{\"n\": 1}'::jsonb)), gen_random_uuid()) from jsonb_array_elements(?::jsonb) c",
            claimed);
      }

      assertThat(psql.text("select tasker.get_current_task_state(?)", task)).isEqualTo("complete");
      assertThat(psql.text(
          "select health_status || ' ' || completion_percentage from tasker.get_task_execution_context(?)",
          task))
          .isEqualTo("healthy 100.00");
    }
  }

  @Test
  void a_diamond_runs_its_middle_in_parallel_and_its_end_once() {
    Dag.Task task = Dag.diamond().started();
    try (SqlWorker worker = SqlWorker.open()) {
      assertThat(worker.runToTheEnd()).hasSize(4);
    }
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0).hasNoWakeUp().went(
        "initializing", "enqueuing_steps", "steps_in_process", "evaluating_results", "complete");
  }
}
