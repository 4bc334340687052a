package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
class GetStepAuditTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<JsonObject> audit(UUID task, UUID step) {
    return sql.array("select tasker.get_step_audit(?, ?)", task, step)
        .getValuesAs(JsonObject.class);
  }

  @Test
  void every_attempt_has_its_result_oldest_first_and_the_step_belongs_to_its_task() {
    Dag.Task task = Dag.of("a").started();
    UUID step = task.step("a");
    assertThat(audit(task.uuid(), step)).isEmpty();

    worker.complete(worker.claimOne().retryableFailure(0));
    worker.advance();
    worker.complete(worker.claimOne().success("{\"n\": 1}"));

    Dag.Task other = Dag.of("a").started();
    assertThat(audit(task.uuid(), step))
        .extracting(result -> result.getInt("attempt") + " " + result.getString("outcome"))
        .containsExactly("1 retryable_failure", "2 success");
    assertThat(audit(task.uuid(), step).get(1).getJsonObject("result").getInt("n")).isEqualTo(1);
    assertThat(audit(other.uuid(), step)).isEmpty();
  }
}
