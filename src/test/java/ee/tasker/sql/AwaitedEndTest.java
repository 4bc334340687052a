package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import ee.tasker.testing.SqlWorker.Result;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A completion that ends a task for whose end a caller waits brings the task's document. */
@DatabaseTest
@DatabaseTest.Covers({"describe_awaited_end", "get_plain_document"})
class AwaitedEndTest {
  private static final String DOCUMENT = "select tasker.get_task_documents(array[?::uuid]) -> 0";
  private static final String PLAIN = "select tasker.get_plain_document(?::uuid)";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void last_success_brings_the_document_that_a_reader_gets_afterwards() {
    Dag.Task task = Dag.linear(2).context("{\"who\": \"you\"}").started();

    JsonObject first = completeAwaited(sql, worker.claimOne());
    assertThat(first.getJsonArray("ended")).isEmpty();
    JsonObject end = onlyEnd(completeAwaited(sql, worker.claimOne()));

    assertThat(end.keySet()).containsExactlyInAnyOrder("task_uuid", "state", "correlation_id",
        "document");
    assertThat(end.getString("task_uuid")).isEqualTo(task.uuid().toString());
    assertThat(end.getString("state")).isEqualTo("complete");
    assertThat(end.getJsonObject("document")).isEqualTo(sql.object(DOCUMENT, task.uuid()));
    assertThat(end.getJsonObject("document").getString("state")).isEqualTo("complete");
    assertThat(end.getJsonObject("document").getJsonObject("context").getString("who"))
        .isEqualTo("you");
  }

  @Test
  void output_of_the_template_is_in_it() {
    Dag.Task task = Dag.of("a").output("{\"sum\": 7}").started();

    JsonObject end = onlyEnd(completeAwaited(sql, worker.claimOne()));

    assertThat(end.getJsonObject("document")).isEqualTo(sql.object(DOCUMENT, task.uuid()));
    assertThat(end.getJsonObject("document").getJsonObject("output").getInt("sum")).isEqualTo(7);
  }

  @Test
  void nothing_is_described_that_is_not_awaited() {
    Dag.of("a").started();

    assertThat(onlyEnd(worker.complete(worker.claimOne().success())).keySet())
        .containsExactlyInAnyOrder("task_uuid", "state", "correlation_id");
  }

  @Test
  void results_that_come_with_others_do_not_wait_for_documents() {
    Dag.of("a").started(2);

    JsonObject reply = completeAwaited(sql, worker.claim(2).toArray(Claim[]::new));

    assertThat(reply.getJsonArray("ended")).hasSize(2)
        .allSatisfy(end -> assertThat(end.asJsonObject()).doesNotContainKey("document"));
  }

  /** One that retried, one with inputs from waits, one that is a child: all that most tasks are. */
  @Test
  void plain_document_is_the_one_that_the_rules_make() {
    List<Dag.Task> tasks = new ArrayList<>();
    tasks.add(Dag.linear(3).started());
    tasks.add(Dag.diamond().priority(3).option("reason", "a test").started());
    tasks.add(Dag.fanOut(5).started());
    tasks.add(Dag.of("a").step("b").output("{\"number\": 1, \"text\": \"x\"}").started());
    tasks.add(Dag.of("a").output("{\"sum\": \"$.steps.a.n / 0\"}").started());
    tasks.add(Dag.of("a").waitingOnly("{\"wait\": {\"for\": \"PT0S\"}}").step("b")
        .dependsOn("a").started());
    tasks.add(Dag.of("a").option("trace_parent",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").started());
    tasks.add(Dag.of("a").compensatedBy("undo", 1).started());
    worker.complete(worker.claimOne().retryableFailure(1));
    Instant later = Instant.now().plusSeconds(60);
    worker.at(later).advance();
    worker.runToTheEnd();
    worker.advance();
    worker.runToTheEnd();

    for (Dag.Task task : tasks) {
      assertThatTask(task).isIn("complete");
      assertThat(sql.text(PLAIN, task.uuid())).as(task.toString())
          .isEqualTo(sql.text(DOCUMENT, task.uuid()));
    }
  }

  @Test
  void tasks_that_are_not_plain_have_no_plain_document() {
    List<Dag.Task> tasks = new ArrayList<>();
    tasks.add(Dag.parallel(101).started());
    tasks.add(Dag.of("a").context("{\"long\": \"" + "x".repeat(65_536) + "\"}").started());
    worker.runToTheEnd();
    Dag.Task output = Dag.of("a").started();
    tasks.add(output);
    worker.complete(worker.claimOne().success("\"" + "x".repeat(65_536) + "\""));
    Dag.Task batch = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 2}").started();
    tasks.add(batch);
    worker.complete(worker.claimOne().batches(2));
    worker.runToTheEnd();
    Dag.Task decision = Dag.of("d").decision().step("e").dependsOn("d").started();
    tasks.add(decision);
    worker.complete(worker.claimOne().decided("e"));
    worker.runToTheEnd();
    Dag.Task cancelled = Dag.of("a").started();
    sql.text("select tasker.request_cancel(?, 'me', 'x', 'cancel_running')", cancelled.uuid());

    assertThat(sql.text(PLAIN, cancelled.uuid())).isNull();
    assertThat(sql.text(PLAIN, Dag.of("a").started().uuid())).as("not complete").isNull();
    for (Dag.Task task : tasks) {
      assertThatTask(task).isIn("complete");
      assertThat(sql.text(PLAIN, task.uuid())).as(task.toString()).isNull();
    }
  }

  @Test
  void ends_of_tasks_that_are_not_plain_are_left_to_the_reader() {
    Dag.of("a").context("{\"long\": \"" + "x".repeat(65_536) + "\"}").started();

    JsonObject end = onlyEnd(completeAwaited(sql, worker.claimOne()));

    assertThat(end.getString("state")).isEqualTo("complete");
    assertThat(end).doesNotContainKey("document");
  }

  @Test
  void a_failure_that_blocks_the_task_is_left_to_the_reader() {
    Dag.of("a").notRetryable().started();
    JsonObject failure = worker.claimOne().permanentFailure().json();

    JsonObject reply = complete(sql, Json.createArrayBuilder()
        .add(Json.createObjectBuilder(failure).add("is_awaited", true)));

    assertThat(onlyEnd(reply).getString("state")).isEqualTo("blocked_by_failures");
    assertThat(onlyEnd(reply)).doesNotContainKey("document");
  }

  @Test
  void a_document_that_cannot_be_made_does_not_undo_the_completion() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();

    try (Sql session = Sql.session()) {
      session.run("""
          create or replace function tasker.get_plain_document(p_task_uuid uuid) returns json
          language plpgsql stable as $$ begin raise exception 'no document'; end $$""");
      JsonObject end = onlyEnd(completeAwaited(session, claim));
      assertThat(end.getString("state")).isEqualTo("complete");
      assertThat(end).doesNotContainKey("document");
      session.rollback();
    }

    completeAwaited(sql, claim);
    assertThatTask(task).isIn("complete");
  }

  private JsonObject completeAwaited(Sql session, Claim... claims) {
    JsonArrayBuilder results = Json.createArrayBuilder();
    for (Claim claim : claims) {
      Result success = claim.success();
      results.add(Json.createObjectBuilder(success.json()).add("is_awaited", JsonValue.TRUE));
    }
    return complete(session, results);
  }

  private JsonObject complete(Sql session, JsonArrayBuilder results) {
    return session.object("select tasker.complete_steps(?, ?)", results.build(), worker.uuid());
  }

  private static JsonObject onlyEnd(JsonObject reply) {
    assertThat(reply.getJsonArray("ended")).hasSize(1);
    return reply.getJsonArray("ended").getJsonObject(0);
  }
}
