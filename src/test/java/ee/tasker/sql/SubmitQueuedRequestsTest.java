package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
class SubmitQueuedRequestsTest {
  private static final UUID SERVER = UUID.randomUUID();

  private final Sql sql = Sql.open();
  private final Dag dag = Dag.of("a");
  private final JsonObject good = dag.request(dag.registered());
  /** An id that PostgreSQL cannot read, so that submit_tasks raises an error. */
  private final JsonObject bad = Json.createObjectBuilder(good).add("correlation_id", "0000-12-31")
      .build();

  private JsonObject submit(int claimLimit, JsonObject... requests) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    List.of(requests).forEach(array::add);
    return sql.object("select tasker.submit_queued_requests(?, ?, ?)", array.build(), SERVER,
        claimLimit);
  }

  private static List<String> verdicts(JsonObject answer) {
    return answer.getJsonArray("verdicts").stream()
        .map(verdict -> verdict.asJsonObject().getString("verdict")).toList();
  }

  @Test
  void requests_that_raise_an_error_have_their_verdict_in_place_and_the_others_become_tasks() {
    JsonObject answer = submit(2, bad, good, good, bad, good, good, good);

    assertThat(verdicts(answer)).containsExactly("failed", "created", "created", "failed",
        "created", "created", "created");
    JsonObject failed = answer.getJsonArray("verdicts").getJsonObject(3);
    assertThat(failed.getString("sqlstate")).startsWith("22");
    assertThat(failed.getString("message")).contains("0000-12-31");
    assertThat(SqlWorker.claims(answer.getJsonArray("claimed_steps")))
        .as("no more than the caller has permits for").hasSize(2);
    assertThat(answer.getJsonArray("queued").toString()).isEqualTo("[\"orders\"]");
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(5);
    answer.getJsonArray("verdicts").stream()
        .map(verdict -> verdict.asJsonObject().getString("task_uuid", null))
        .filter(uuid -> uuid != null)
        .forEach(uuid -> assertThatTask(UUID.fromString(uuid)).isIn("steps_in_process"));
  }

  @Test
  void without_a_fault_it_is_submit_tasks_and_so_it_is_without_a_request() {
    assertThat(verdicts(submit(0, good, good))).containsExactly("created", "created");
    assertThat(verdicts(submit(0))).isEmpty();
    assertThat(verdicts(submit(3, bad))).containsExactly("failed");
  }

  @Test
  void what_passes_by_itself_is_raised_and_is_no_verdict() {
    Dag.Task parent = dag.submitted();
    JsonObject child = Json.createObjectBuilder(good)
        .add("parent_task_uuid", parent.uuid().toString()).build();
    try (Sql other = Sql.session(); Sql session = Sql.session()) {
      other.text("select 1 from tasker.tasks where task_uuid = ? for update", parent.uuid());
      session.run("set local lock_timeout = '50ms'");
      assertThatDatabaseRefuses("55P03",
          () -> session.text("select tasker.submit_queued_requests(?, ?)",
              Json.createArrayBuilder().add(child).build(), SERVER));
    }
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(1);
  }
}
