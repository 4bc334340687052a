package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a task is for. */
@DatabaseTest
class GetTaskOutputTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private Dag.Task ended(Dag dag) {
    Dag.Task task = dag.context("{\"order\": 17}").started();
    for (var claims = worker.claim(9); !claims.isEmpty(); claims = worker.claim(9)) {
      claims.forEach(claim -> worker.complete(claim.success("{\"step\": \"" + sql.text(
          "select n.name from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.workflow_step_uuid = ?",
          claim.step()) + "\"}")));
    }
    return task;
  }

  private JsonObject output(Dag.Task task) {
    return sql.object("select tasker.get_task_output(?)", task.uuid());
  }

  @Test
  void without_a_mapping_it_is_the_results_of_the_leaves_and_nothing_is_stored() {
    Dag.Task task = ended(Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("a"));

    assertThat(output(task).toString())
        .isEqualTo("{\"error\":null,\"output\":{\"b\":{\"step\":\"b\"},\"c\":{\"step\":\"c\"}}}");
    assertThat(sql.number("select count(*) from tasker.task_outputs")).isZero();
  }

  @Test
  void a_mapping_is_evaluated_in_the_transaction_that_completes_the_task() {
    Dag dag = Dag.of("a").step("b").dependsOn("a")
        .output(
            "{\"order\": \"$.context.order\", \"first\": \"$.results.a.step\", \"text\": \"$$x\"}");
    Dag.Task task = ended(dag);

    assertThatTask(task).isIn("complete");
    assertThat(sql.text("select output from tasker.task_outputs where task_uuid = ?", task.uuid()))
        .isEqualTo("{\"text\": \"$x\", \"first\": \"a\", \"order\": 17}");
    assertThat(output(task).getJsonObject("output").getInt("order")).isEqualTo(17);
    assertThatHistoryIsSound();
  }

  @Test
  void a_mapping_that_fails_does_not_undo_the_task_and_is_stored_as_an_error() {
    Dag.Task task = ended(Dag.of("a").output("{\"x\": \"$.context.order / 0\"}"));

    assertThatTask(task).isIn("complete");
    assertThat(output(task).isNull("output")).isTrue();
    assertThat(output(task).getJsonObject("error").getString("type")).isEqualTo("expression_error");
    assertThatHistoryIsSound();
  }

  @Test
  void an_output_of_more_than_a_megabyte_is_an_error() {
    Dag.Task task = Dag.of("a").output("{\"a\": \"$.results.a\"}").started();
    worker.complete(worker.claimOne().success("{\"long\": \"" + "x".repeat(1_048_577) + "\"}"));
    assertThat(output(task).getJsonObject("error").getString("type")).isEqualTo("output_too_large");
    Dag.Task plain = Dag.of("a").started();
    worker.complete(worker.claimOne().success("{\"long\": \"" + "x".repeat(1_048_577) + "\"}"));
    assertThat(output(plain).getJsonObject("error").getString("type"))
        .isEqualTo("output_too_large");
  }

  @Test
  void a_task_that_has_not_completed_has_none() {
    Dag.Task task = Dag.of("a").output("{\"a\": \"$.results.a\"}").started();
    assertThat(sql.text("select tasker.get_task_output(?)", task.uuid())).isNull();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(sql.text("select tasker.get_task_output(?)", task.uuid())).isNull();
    new Operator().task(task, "resolve");
    assertThat(output(task).getJsonObject("output").isNull("a")).isTrue();
    assertThat(sql.text("select tasker.get_task_output(?)", UUID.randomUUID())).isNull();
    assertThatHistoryIsSound();
  }
}
