package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A batchable step makes batches, and workers of one step work them off. */
@DatabaseTest
@DatabaseTest.Covers({"check_batches", "judge_batches", "record_batches", "cut_batches",
  "evaluate_items", "get_batch_states",
  "admit_batch_workers",
  "count_batch_handoffs",
  "count_batch_workers", "recount_batches", "advance_batches", "create_batch_workers",
  "format_batch_id", "get_next_step_position",
  "get_batch_summary", "get_batch_failure", "get_batch_results", "get_batch_documents",
  "list_batch_workers", "get_documents_of_steps",
  "get_ancestor_batch_results", "end_automatic_step", "end_automatic_steps",
  "find_batch_violations"})
class BatchesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  /** cut → work × N → join */
  private static Dag cut(String config) {
    return Dag.of("cut").batchable().step("work").dependsOn("cut").batchWorker(config).step("join")
        .dependsOn("work");
  }

  private List<String> states(Dag.Task task) {
    return sql.texts("select concat_ws(' ', coalesce(s.name, n.name), s.state) "
        + "from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? order by s.step_position",
        task.uuid());
  }

  private String counters(Dag.Task task) {
    return sql.text(
        "select concat_ws(' ', total_workers, created_workers, in_flight_workers, done_workers, failed_workers, "
            + "case when closed_at is null then 'open' else 'closed' end) from tasker.batches where task_uuid = ?",
        task.uuid());
  }

  private JsonObject result(Dag.Task task, String step) {
    return sql.object(
        "select coalesce(a.error, a.result) from tasker.workflow_steps s join tasker.workflow_step_result_audit a "
            + "on a.workflow_step_uuid = s.workflow_step_uuid and a.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step(step));
  }

  private Dag.Task open(Dag dag, int width) {
    Dag.Task task = dag.started();
    worker.complete(worker.claimOne().batches(width));
    return task;
  }

  @Test
  void a_step_that_follows_reads_the_results_by_page_and_those_of_no_other_batch() {
    Dag.Task task = open(cut("{\"parallelism\": 10}").step("end").dependsOn("join"), 5);
    for (Claim claim : worker.claim(5)) {
      String name = claim.claimedStep().getString("name");
      worker.complete(name.equals("work_002") ? claim.permanentFailure()
          : claim.success("{\"of\": \"" + name + "\"}"));
    }
    worker.runToTheEnd();

    String read = "select tasker.get_ancestor_batch_results(?, ?, ?, 2)";
    assertThat(sql.array(read, task.step("end"), "work", 0).toString())
        .contains("\"error\"", "\"of\":\"work_001\"")
        .doesNotContain("work_003");
    assertThat(sql.array(read, task.step("end"), "work", 4)).singleElement()
        .satisfies(last -> assertThat(last.asJsonObject().getString("batch_id")).isEqualTo("005"));
    assertThat(sql.array(read, task.step("join"), "work", 5)).isEmpty();
    assertThat(sql.text(read, task.step("end"), "cut", 0)).as("no batch step").isNull();
    assertThat(sql.text(read, task.step("cut"), "work", 0)).as("does not follow").isNull();
  }

  @Test
  void workers_are_created_as_slots_allow_and_the_join_follows_the_last() {
    Dag.Task task = open(cut("{\"parallelism\": 2}"), 5);

    assertThat(states(task)).containsExactly("cut complete", "work pending", "join pending",
        "work_001 enqueued", "work_002 enqueued");
    assertThat(counters(task)).isEqualTo("5 2 2 0 0 open");
    assertThatHistoryIsSound();

    worker.complete(worker.claimOne().success());
    assertThat(counters(task)).isEqualTo("5 3 2 1 0 open");
    assertThat(worker.runToTheEnd()).hasSize(5);
    assertThat(counters(task)).isEqualTo("5 5 0 5 0 closed");
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 999, 1_000, 1_001})
  void each_cursor_gets_one_worker_whatever_the_width(int width) {
    Dag.Task task = open(cut("{\"parallelism\": 3}"), width);

    List<Claim> claims = worker.runToTheEnd();
    assertThat(claims).hasSize(width + 1);
    assertThat(claims.stream().limit(width)
        .map(claim -> claim.claimedStep().getJsonObject("inputs").getInt("cursor")))
        .doesNotHaveDuplicates();
    assertThat(counters(task)).isEqualTo("%1$d %1$d 0 %1$d 0 closed".formatted(width));
    JsonObject summary = result(task, "work");
    assertThat(summary.getInt("total")).isEqualTo(width);
    assertThat(summary.containsKey("results")).isEqualTo(width <= 1_000);
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThat(sql.number("select count(*) from tasker.batch_items")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void no_cursors_close_the_batch_at_once_and_the_join_sees_an_empty_list() {
    Dag.Task task = open(cut("{}"), 0);

    assertThat(states(task)).containsExactly("cut complete", "work complete", "join enqueued");
    assertThat(
        worker.claimOne().claimedStep().getJsonObject("results").getJsonObject("work").toString())
        .isEqualTo("{\"done\":0,\"total\":0,\"failed\":0,\"results\":[],\"failures\":[]}");
    assertThatHistoryIsSound();
  }

  @Test
  void a_worker_has_its_cursor_the_results_of_its_ancestors_and_a_name_of_its_own() {
    Dag.Task task = Dag.of("first").step("cut").dependsOn("first").batchable().step("work")
        .dependsOn("cut").batchWorker("{}").started();
    worker.complete(worker.claimOne().success("{\"rows\": 7}"));
    worker.complete(worker.claimOne().batches("{\"start\": 1, \"end\": 2}", "\"text\"", "null"));

    List<Claim> claims = worker.claim(9);
    assertThat(claims).extracting(claim -> claim.claimedStep().getString("name"))
        .containsExactly("work_001", "work_002", "work_003");
    assertThat(claims).extracting(claim -> claim.claimedStep().getJsonObject("inputs").toString())
        .containsExactly(
            "{\"cursor\":{\"end\":2,\"start\":1},\"batch_id\":\"001\",\"batch_count\":3,\"batch_number\":1,\"cursor_field\":\"id\"}",
            "{\"cursor\":\"text\",\"batch_id\":\"002\",\"batch_count\":3,\"batch_number\":2,\"cursor_field\":\"id\"}",
            "{\"cursor\":null,\"batch_id\":\"003\",\"batch_count\":3,\"batch_number\":3,\"cursor_field\":\"id\"}");
    assertThat(claims.get(0).claimedStep().getJsonObject("results").toString())
        .isEqualTo("{\"cut\":{}}");
    assertThat(sql.text("select tasker.get_ancestor_results(?)", task.step("work_002")))
        .isEqualTo("{\"cut\": {}, \"first\": {\"rows\": 7}}");
  }

  @Test
  void the_join_sees_the_results_in_the_order_of_the_batches_whatever_ended_first() {
    Dag.Task task = open(cut("{\"failure_strategy\": \"isolate\", \"tolerate\": 1}"), 3);
    List<Claim> claims = worker.claim(9);
    worker.complete(claims.get(2).success("3"));
    worker.complete(claims.get(1).permanentFailure());
    worker.complete(claims.get(0).success("[1]"));

    assertThat(worker.claimOne().claimedStep().getJsonObject("results").getJsonObject("work"))
        .isEqualTo(Json.createReader(
            new java.io.StringReader("""
            {"total": 3, "done": 2, "failed": 1, "failures": [{"batch_id": "002", "type": "Test", "message": "as the test wants it"}],
             "results": [{"batch_id": "001", "result": [1]}, {"batch_id": "002", "error": {"type": "Test", "message": "as the test wants it"}},
                         {"batch_id": "003", "result": 3}]}""")).readObject());
    assertThat(sql.texts(
        "select concat_ws(' ', batch_number, batch_id, step_name, state, result) from tasker.get_batch_results(?, 1, 2)",
        task.step("work"))).containsExactly("2 002 work_002 error", "3 003 work_003 complete 3");
    assertThat(sql.texts("select batch_id from tasker.get_batch_results(?, 0, 5, 'complete')",
        task.step("work"))).containsExactly("001",
            "003");
  }

  @Test
  void results_that_are_large_together_are_left_to_the_pages() {
    Dag.Task task = open(cut("{}"), 3);
    for (Claim claim : worker.claim(9)) {
      worker.complete(claim.success("\"" + "x".repeat(400_000) + "\""));
    }

    assertThat(result(task, "work").keySet()).containsExactlyInAnyOrder("total", "done", "failed",
        "failures");
    assertThat(sql.number("select sum(length(result #>> '{}')) from tasker.get_batch_results(?)",
        task.step("work"))).isEqualTo(1_200_000);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      $.context.rows[*] | 2 | [1,2]; [3,4]; [5]
      $.context.rows[*] | 5 | [1,2,3,4,5]
      $.context.rows[*] | 6 | [1,2,3,4,5]
      $.context.rows[*] ? (@ > 3) | 1 | [4]; [5]
      $.context.nothing[*] | 1 | ''
      """)
  void items_are_cut_into_batches_without_a_handler(String items, int size, String expected) {
    Dag.Task task = Dag.of("cut").batchesOf(items, size).step("work").dependsOn("cut")
        .batchWorker("{}").step("join").dependsOn("work")
        .context("{\"rows\": [1, 2, 3, 4, 5]}").started();
    worker.advance();

    List<String> slices = new ArrayList<>();
    for (Claim claim : worker.claim(9)) {
      if (!claim.claimedStep().isNull("inputs")) {
        slices.add(claim.claimedStep().getJsonObject("inputs").getJsonArray("items").toString());
      }
    }
    assertThat(String.join("; ", slices)).isEqualTo(expected);
    assertThatHistoryIsSound();
    assertThatStep(task.step("cut")).isIn("complete");
  }

  /**
   * What stands where the path expects a list: JSON texts of rows, and the items, or the complaint.
   */
  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      $.context.rows[*] | [1, null, [2], {"a": 3}] | [1, null, [2], {"a": 3}]
      $.context.rows[*] | [[1, 2]] | [[1, 2]]
      $.context.rows[*] | [] | []
      $.context.rows[*] | null | []
      $.context.rows[*] | | []
      $.context.rows[*] | {"a": 1} | the path has a value of type object where a list is expected
      $.context.rows[*] | {} | the path has a value of type object where a list is expected
      $.context.rows[*] | "text" | the path has a value of type string where a list is expected
      $.context.rows[*] | 5 | the path has a value of type number where a list is expected
      $.context.rows[*] | false | the path has a value of type boolean where a list is expected
      $.context.rows | [1, 2] | the path gives a list as one item; end it with [*] for its elements
      $.context.rows | [] | the path gives a list as one item; end it with [*] for its elements
      $.context.rows | null | []
      $.context.rows | | []
      $.context.rows | {"a": 1} | the path gives a value of type object where a list is expected
      $.context.rows | "text" | the path gives a value of type string where a list is expected
      $.context.rows[0 to 1] | [1, 2, 3] | [1, 2]
      $.context.rows[0] | {"a": 1} | the path has a value of type object where a list is expected
      $.context.rows[0][*] | [[1, 2], [3]] | [1, 2]
      $.context.rows[*] ? (@ > 1) | [1, 2, 3] | [2, 3]
      $.context.rows[*] ? (@ > 1) | 5 | the path has a value of type number where a list is expected
      $.context.rows ? (@.n > 1) | [{"n": 1}, {"n": 2}] | [{"n": 2}]
      $.context.rows ? (@.n > 1) | {"n": 2} | the path gives a value of type object where a list is expected
      $.context.rows[*].id | [{"id": 7}, {"id": 8}] | [7, 8]
      $.context.rows[*].id | {"id": 7} | the path has a value of type object where a list is expected
      $.context.rows[*].id | null | []
      $.context.rows.id | [{"id": 7}] | [7]
      $.context.rows.id | {"id": 7} | the path gives a value of type number where a list is expected
      $.context.rows[*].lines[*] | [{"lines": [1]}, {"lines": null}, {}, {"lines": [2, null]}] | [1, 2, null]
      $.context.rows[*].lines[*] | [{"lines": [1]}, {"lines": {"no": 1}}] | the path has a value of type object where a list is expected
      $.context.rows.* | {"a": 1, "b": 2} | [1, 2]
      $.context.rows.size() | [1, 2] | the path gives a value of type number where a list is expected
      $.context."ro[w\\"s.?" | [1] | []
      $.context.rows.**.id | {"a": {"id": 1}, "b": {"id": 2}} | [1, 2]
      """)
  void what_is_no_list_makes_no_batches(String path, String rows, String expected) {
    String context = rows == null ? "{}" : "{\"rows\": " + rows + "}";
    String found = sql.text(
        "select coalesce(i.o_items::text, i.o_complaint) from tasker.evaluate_items(?, jsonb_build_object('context', "
            + "?::jsonb)) i",
        path, context);
    assertThat(found).isEqualTo(expected);
    assertThat(sql
        .object("select tasker.try_expression(?, jsonb_build_object('context', ?::jsonb), 'list')",
            path, context)
        .getString("outcome")).isEqualTo(expected.startsWith("[") ? "done" : "refused");
  }

  @Test
  void items_that_are_no_list_fail_the_step_and_create_nothing_and_null_is_none() {
    Map<String, List<String>> wrong = Map.of("$.context.rows[*]", List.of("{\"a\": 1}", "\"text\""),
        "$.context.rows",
        List.of("[1, 2]", "[]"));
    wrong.forEach((path, values) -> values.forEach(rows -> {
      Dag.Task task = cutting(path, rows);
      assertThatStep(task.step("cut")).isIn("error");
      assertThat(result(task, "cut").getString("type")).isEqualTo("invalid_batches");
      assertThatTask(task).isIn("blocked_by_failures");
      assertThat(states(task)).noneMatch(step -> step.startsWith("work_"));
    }));
    assertThat(sql.number("select count(*) from tasker.batches")).isZero();

    for (String path : wrong.keySet()) {
      Dag.Task task = cutting(path, "null");
      assertThatStep(task.step("cut")).isIn("complete");
      assertThat(sql.number("select count(*) from tasker.batch_items")).isZero();
      worker.runToTheEnd();
      assertThatTask(task).isIn("complete");
    }
    assertThatHistoryIsSound();
  }

  private Dag.Task cutting(String path, String rows) {
    Dag.Task task = Dag.of("cut").batchesOf(path, 1).step("work").dependsOn("cut").batchWorker("{}")
        .step("join").dependsOn("work")
        .context("{\"rows\": " + rows + "}").started();
    worker.advance();
    return task;
  }

  @Test
  void items_may_come_from_an_earlier_step_and_what_cannot_be_evaluated_fails_the_step() {
    Dag graph = Dag.of("read").step("cut").dependsOn("read")
        .batchesOf("$.results.read.rows[*].double()", 1).step("work").dependsOn("cut")
        .batchWorker("{}");
    Dag.Task good = graph.started();
    worker.complete(worker.claimOne().success("{\"rows\": [3, 4]}"));
    assertThat(states(good)).containsExactly("read complete", "cut complete", "work pending",
        "work_001 enqueued", "work_002 enqueued");
    worker.runToTheEnd();
    assertThatTask(good).isIn("complete");

    Dag.Task wrong = graph.started();
    worker.complete(worker.claimOne().success("{\"rows\": [\"x\"]}"));
    assertThatTask(wrong).isIn("blocked_by_failures").counts(2, 0, 1, 0);
    assertThat(result(wrong, "cut").getString("type")).isEqualTo("expression_error");
    assertThat(new Operator()
        .step(wrong, "cut", "complete_manually", "{\"result\": {}, \"batches\": [[1]]}")
        .getString("outcome"))
        .isEqualTo("done");
    assertThat(worker.runToTheEnd()).hasSize(1);
    assertThatTask(wrong).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void more_batches_than_a_step_may_make_fail_it_and_create_nothing() {
    Dag.Task byHandler = open(cut("{}").lifecycle("max_batches_per_step", 2), 3);
    assertThat(result(byHandler, "cut").getString("message"))
        .isEqualTo("it would make 3 batches, and max_batches_per_step is 2");
    Dag.Task byItems = Dag.of("cut").batchesOf("$.context.rows[*]", 1).step("work").dependsOn("cut")
        .batchWorker("{}")
        .lifecycle("max_batches_per_step", 2).context("{\"rows\": [1, 2, 3]}").started();
    worker.advance();
    assertThat(result(byItems, "cut").getString("type")).isEqualTo("invalid_batches");
    assertThat(sql.number("select count(*) from tasker.batches")).isZero();
    assertThat(sql.number("select count(*) from tasker.batch_items")).isZero();
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      none | a batchable step must say which batches it makes: an array of cursors, empty for none
      7 | a batchable step must say which batches it makes: an array of cursors, empty for none
      {"a": 1} | a batchable step must say which batches it makes: an array of cursors, empty for none
      large | batches[1] has 16387 bytes, and a cursor must not have more than 16384
      """)
  void what_are_no_batches_is_a_permanent_failure_of_the_step(String given, String message) {
    Dag.Task task = cut("{}").started();
    Claim claim = worker.claimOne();
    JsonValue batches = Json.createReader(
        new java.io.StringReader(given.equals("large") ? "[1, \"" + "x".repeat(16_385) + "\"]"
            : given.equals("none") ? "0" : given))
        .readValue();
    worker.complete(given.equals("none") ? claim.success() : claim.batches(batches));

    assertThat(states(task)).containsExactly("cut error", "work pending", "join pending");
    assertThat(result(task, "cut").getString("type")).isEqualTo("invalid_batches");
    assertThat(result(task, "cut").getString("message")).isEqualTo(message);
    assertThatTask(task).isIn("blocked_by_failures");
    assertThatHistoryIsSound();
  }

  @Test
  void a_success_without_batches_is_an_error_of_a_batchable_step() {
    Dag.Task task = cut("{}").started();
    worker.complete(worker.claimOne().success());
    assertThat(states(task)).containsExactly("cut error", "work pending", "join pending");
  }

  @Test
  void batches_of_a_step_that_is_not_batchable_are_a_permanent_failure() {
    Dag.Task task = Dag.linear(2).started();
    worker.complete(worker.claimOne().batches(2));

    assertThat(result(task, "s1").getString("message"))
        .isEqualTo("this step is not batchable, and makes no batches");
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
  }

  @Test
  void a_retry_frees_its_slot_and_comes_before_new_workers_once_it_is_due() {
    Instant start = Instant.now();
    worker.at(start);
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 3);
    worker.complete(worker.claimOne().retryableFailure(10_000));

    assertThat(states(task)).contains("work_001 waiting_for_retry", "work_002 enqueued")
        .doesNotContain("work_003 enqueued");
    assertThatTask(task).counts(4, 1, 0, 1);
    assertThatHistoryIsSound();

    worker.at(start.plusSeconds(11));
    worker.complete(worker.claimOne().success());
    assertThat(states(task)).containsExactly("cut complete", "work pending", "join pending",
        "work_001 enqueued", "work_002 complete");
    assertThatTask(task).counts(3, 1, 0, 0);
    assertThatHistoryIsSound();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_retry_that_is_due_waits_while_all_slots_are_taken() {
    Instant start = Instant.now();
    worker.at(start);
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 2);
    worker.complete(worker.claimOne().retryableFailure(1_000));
    worker.at(start.plusSeconds(60));
    worker.advance();

    assertThat(states(task)).contains("work_001 waiting_for_retry", "work_002 enqueued");
    assertThat(counters(task)).isEqualTo("2 2 1 0 0 open");
    assertThatHistoryIsSound();
    worker.complete(worker.claimOne().success());
    assertThat(states(task)).contains("work_001 enqueued", "work_002 complete");
    worker.complete(worker.claimOne().success());
    assertThatStep(task.step("work")).isIn("complete");
  }

  @Test
  void a_worker_that_is_reset_waits_while_all_slots_are_taken() {
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 2);
    worker.complete(worker.claimOne().permanentFailure());
    new Operator().step(task, "work_001", "reset_for_retry");

    assertThat(states(task)).contains("work_001 pending", "work_002 enqueued");
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 1, 'pending', 'enqueued', 'orchestrator', null)",
        task.step("work_001"))).isFalse();
    assertThat(counters(task)).isEqualTo("2 2 1 0 0 open");
    assertThatHistoryIsSound();
    worker.complete(worker.claimOne().success());
    assertThat(states(task)).contains("work_001 enqueued", "work_002 complete");
  }

  @Test
  void a_lost_worker_gives_its_slot_to_its_next_attempt() {
    Instant start = Instant.now();
    worker.at(start);
    Dag.Task task = open(cut("{\"parallelism\": 2}"), 4);
    worker.claim(1);
    worker.at(start.plusSeconds(61));
    worker.advance();

    assertThat(states(task)).contains("work_001 enqueued", "work_002 enqueued").hasSize(5);
    assertThat(counters(task)).isEqualTo("4 2 2 0 0 open");
    assertThatHistoryIsSound();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_worker_that_is_released_is_handed_off_again_within_the_parallelism() {
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 2);
    Claim claim = worker.claimOne();
    sql.text("select tasker.release_steps(?, ?)",
        Json.createArrayBuilder()
            .add(Json.createObjectBuilder().add("step_uuid", claim.step().toString())
                .add("task_uuid", claim.task().toString()).add("handoff", claim.handoff()))
            .build(),
        worker.uuid());

    assertThat(states(task)).containsExactly("cut complete", "work pending", "join pending",
        "work_001 enqueued");
    assertThat(counters(task)).isEqualTo("2 1 1 0 0 open");
    assertThatHistoryIsSound();
  }

  @Test
  void failures_are_tolerated_and_the_task_completes() {
    Dag.Task task = open(cut("{\"parallelism\": 2, \"failure_strategy\": \"continue_on_failure\"}"),
        3);
    worker.complete(worker.claimOne().permanentFailure());

    assertThat(counters(task)).isEqualTo("3 3 2 0 1 open");
    assertThatTask(task).isIn("steps_in_process").counts(4, 2, 0, 0);
    assertThatHistoryIsSound();
    worker.complete(worker.claimOne().permanentFailure());
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(result(task, "work").getInt("failed")).isEqualTo(3);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThat(sql.text(
        "select execution_status from tasker.get_task_execution_contexts_batch(array[?::uuid])",
        task.uuid()))
        .isEqualTo("all_complete");
    assertThatHistoryIsSound();
  }

  @Test
  void the_first_failure_fails_a_batch_that_fails_fast_and_those_in_flight_finish() {
    Dag.Task task = open(cut("{\"parallelism\": 2, \"failure_strategy\": \"fail_fast\"}"), 5);
    List<Claim> claims = worker.claim(9);
    worker.complete(claims.get(0).permanentFailure());

    assertThat(states(task)).containsExactly("cut complete", "work error", "join pending",
        "work_001 error", "work_002 in_progress");
    assertThat(result(task, "work").getString("message"))
        .isEqualTo("a worker of 5 failed, and none may");
    assertThatTask(task).isIn("steps_in_process").counts(3, 1, 1, 0);
    worker.complete(claims.get(1).success());
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0)
        .hasOpenDeadLetter("permanent_failure");
    assertThat(counters(task)).isEqualTo("5 2 0 1 1 open");
    assertThat(worker.advance().getInt("tasks")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void a_reset_of_the_failed_worker_reopens_its_batch() {
    Dag.Task task = open(cut("{\"parallelism\": 2, \"failure_strategy\": \"fail_fast\"}"), 5);
    List<Claim> claims = worker.claim(9);
    worker.complete(0, List.of(claims.get(0).permanentFailure(), claims.get(1).success()));

    assertThat(new Operator().step(task, "work_001", "reset_for_retry").getString("outcome"))
        .isEqualTo("done");
    assertThat(states(task)).containsExactly("cut complete", "work pending", "join pending",
        "work_001 enqueued", "work_002 complete",
        "work_003 enqueued");
    assertThat(counters(task)).isEqualTo("5 3 2 1 0 open");
    assertThatHistoryIsSound();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void a_reset_of_the_batch_step_resets_its_failed_workers() {
    Dag.Task task = open(cut("{\"failure_strategy\": \"isolate\", \"tolerate\": 1}"), 3);
    worker.complete(0, worker.claim(9).stream().map(Claim::permanentFailure).toList());
    assertThat(result(task, "work").getString("message"))
        .isEqualTo("more than 1 of 3 workers failed");

    new Operator().step(task, "work", "reset_for_retry");
    assertThat(states(task)).containsExactly("cut complete", "work pending", "join pending",
        "work_001 enqueued", "work_002 enqueued",
        "work_003 enqueued");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_retry_of_the_task_resets_the_failed_workers_of_its_open_batch() {
    Dag.Task task = open(cut("{\"failure_strategy\": \"fail_fast\"}"), 3);
    worker.complete(0, worker.claim(9).stream().map(Claim::permanentFailure).toList());

    assertThat(new Operator().task(task, "retry").getInt("steps")).isEqualTo(4);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @ValueSource(strings = {"resolve_manually", "complete_manually"})
  void an_operator_makes_good_for_failed_workers_until_the_batch_tolerates_the_others(
      String action) {
    Dag.Task task = open(cut("{\"failure_strategy\": \"isolate\", \"tolerate\": 1}"), 3);
    worker.complete(0, worker.claim(9).stream().map(Claim::permanentFailure).toList());

    new Operator().step(task, "work_003", action,
        action.startsWith("c") ? "{\"result\": 3}" : "{}");
    assertThat(states(task)).contains("work error",
        "work_003 " + (action.startsWith("c") ? "complete" : "resolved_manually"));
    assertThatTask(task).isIn("blocked_by_failures");
    assertThatHistoryIsSound();
    new Operator().step(task, "work_002", action,
        action.startsWith("c") ? "{\"result\": 2}" : "{}");
    assertThat(states(task)).contains("work complete", "join enqueued", "work_001 error");
    assertThat(counters(task)).isEqualTo("3 3 0 2 1 closed");
    assertThatHistoryIsSound();
  }

  @Test
  void an_operator_closes_a_batch_with_what_it_has() {
    Dag.Task task = open(cut("{\"parallelism\": 2, \"failure_strategy\": \"fail_fast\"}"), 5);
    List<Claim> claims = worker.claim(9);
    worker.complete(claims.get(0).permanentFailure());
    Operator operator = new Operator();
    JsonObject busy = operator.step(task, "work", "resolve_manually");
    assertThat(busy.getString("code")).isEqualTo("steps-in-flight");
    worker.complete(claims.get(1).retryableFailure());

    assertThat(operator.step(task, "work", "complete_manually", "{\"result\": {\"enough\": true}}")
        .getString("outcome")).isEqualTo("done");
    assertThat(states(task)).containsExactly("cut complete", "work complete", "join enqueued",
        "work_001 error",
        "work_002 resolved_manually");
    assertThat(counters(task)).isEqualTo("5 2 0 1 1 closed");
    assertThatHistoryIsSound();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void a_closed_batch_is_not_reopened() {
    Dag.Task task = open(cut("{}"), 2);
    worker.complete(0, worker.claim(9).stream().map(Claim::permanentFailure).toList());
    worker.complete(worker.claimOne().permanentFailure());
    Operator operator = new Operator();

    assertThat(states(task)).containsExactly("cut complete", "work complete", "join error",
        "work_001 error", "work_002 error");
    assertThat(operator.step(task, "work_001", "reset_for_retry").getString("message"))
        .isEqualTo("the batch of the step is closed, and what follows has its results");
    assertThat(
        operator.task(task, "retry_from_step", "{\"step\": \"cut\", \"rerun_completed\": true}")
            .getString("code"))
        .isEqualTo("step-not-movable");
    assertThat(
        operator.task(task, "retry_from_step", "{\"step\": \"work\", \"rerun_completed\": true}")
            .getString("code"))
        .isEqualTo("step-not-movable");
    assertThatThrownBy(
        () -> sql.isTrue(
            "select tasker.transition_step_state_atomic(?, 1, 'error', 'pending', 'operator', null)",
            task.step("work_001")))
        .hasMessageContaining("a batch is closed");
    assertThat(operator.task(task, "retry").getInt("steps")).isEqualTo(1);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void the_last_tolerated_failure_and_the_one_too_many_may_come_at_once() {
    Dag graph = cut("{\"failure_strategy\": \"isolate\", \"tolerate\": 2}");
    Dag.Task within = open(graph, 3);
    List<Claim> claims = worker.claim(9);
    worker.complete(0, List.of(claims.get(0).permanentFailure(), claims.get(1).success(),
        claims.get(2).permanentFailure()));
    assertThat(states(within)).contains("work complete", "join enqueued");
    worker.runToTheEnd();

    Dag.Task beyond = open(graph, 3);
    worker.complete(0, worker.claim(9).stream().map(Claim::permanentFailure).toList());
    assertThat(states(beyond)).contains("work error", "join pending");
    assertThatTask(beyond).isIn("blocked_by_failures").counts(2, 0, 1, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void where_others_go_on_after_a_failure_the_retries_of_a_failed_batch_do_too() {
    Instant start = Instant.now();
    worker.at(start);
    Dag.Task task = open(cut("{\"parallelism\": 2, \"failure_strategy\": \"fail_fast\"}")
        .step("other").continueOnError(), 4);
    List<Claim> claims = new ArrayList<>(worker.claim(9));
    claims.removeIf(claim -> claim.claimedStep().isNull("name"));
    worker.complete(claims.get(0).retryableFailure(5_000));
    worker.complete(claims.get(1).permanentFailure());
    assertThat(states(task)).contains("work error", "work_001 waiting_for_retry");

    worker.at(start.plusSeconds(6));
    worker.advance();
    assertThat(states(task)).contains("work_001 enqueued");
    worker.at(start.plusSeconds(70));
    worker.advance();
    worker.runToTheEnd();
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(states(task)).contains("work_001 complete", "other complete");
    assertThat(sql.number("select created_workers from tasker.batches")).isEqualTo(3);
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_stops_a_batch_half_way() {
    Dag.Task task = open(cut("{\"parallelism\": 2}"), 6);
    Claim running = worker.claimOne();
    sql.text("select tasker.request_cancel(?, 'ops', 'enough')", task.uuid());

    assertThat(states(task)).containsExactly("cut complete", "work cancelled", "join cancelled",
        "work_001 in_progress",
        "work_002 cancelled");
    worker.complete(running.cancelled());
    assertThatTask(task).isIn("cancelled");
    assertThat(counters(task)).isEqualTo("6 2 0 0 0 open");
    assertThatHistoryIsSound();
  }

  @Test
  void a_worker_that_succeeds_after_the_cancel_starts_no_other() {
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 6);
    Claim running = worker.claimOne();
    sql.text("select tasker.request_cancel(?, 'ops', 'enough', 'allow_finish')", task.uuid());
    worker.complete(running.success());

    assertThatTask(task).isIn("cancelled");
    assertThat(counters(task)).isEqualTo("6 1 0 1 0 open");
    assertThatHistoryIsSound();
  }

  @Test
  void a_pause_stops_the_next_workers_until_it_ends() {
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 3);
    Operator operator = new Operator();
    operator.pause("orders", task.template().name());
    worker.complete(worker.claimOne().success());
    assertThat(counters(task)).isEqualTo("3 1 0 1 0 open");

    operator.resume("orders", task.template().name());
    worker.at(Instant.now().plusSeconds(60)).advance();
    assertThat(counters(task)).isEqualTo("3 2 1 1 0 open");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_server_that_only_works_leaves_the_batch_to_an_orchestrator() {
    Dag.Task task = cut("{\"parallelism\": 2}").started();
    SqlWorker orchestrator = SqlWorker.open();
    worker.submitResults(worker.claimOne().batches(3));
    assertThat(sql.text(
        "select concat_ws(' ', total_workers, created_workers, first_position is null) from tasker.batches"))
        .isEqualTo("3 0 t");
    assertThatHistoryIsSound();
    for (int round = 0; round < 5; round++) {
      sql.text("select tasker.process_step_results(?)", orchestrator.uuid());
      assertThatHistoryIsSound();
      worker.claim(9).forEach(claim -> worker.submitResults(claim.success()));
    }
    sql.text("select tasker.process_step_results(?)", orchestrator.uuid());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_decision_may_lead_to_a_batch_and_a_batch_to_another() {
    Dag.Task task = Dag.of("route").decision().step("cut").dependsOn("route").batchable()
        .step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 1}").step("again").dependsOn("work")
        .batchesOf("$.results.work.results[*].result", 2)
        .step("more").dependsOn("again").batchWorker("{}").step("join").dependsOn("more")
        .convergence().started();
    worker.complete(worker.claimOne().decided("cut"));
    worker.complete(worker.claimOne().batches(3));
    for (int i = 1; i <= 3; i++) {
      worker.complete(worker.claimOne().success("" + i));
    }

    assertThat(states(task)).containsExactly("route complete", "cut complete", "work complete",
        "again complete", "more pending",
        "join pending",
        "work_001 complete", "work_002 complete", "work_003 complete", "more_001 enqueued",
        "more_002 enqueued");
    assertThat(worker.claim(9))
        .extracting(
            claim -> claim.claimedStep().getJsonObject("inputs").getJsonArray("items").toString())
        .containsExactly("[1,2]", "[3]");
    assertThatHistoryIsSound();
  }

  @Test
  void a_decision_does_not_choose_a_batch_worker() {
    Dag.Task task = Dag.of("route").decision().step("cut").dependsOn("route").batchable()
        .step("work").dependsOn("cut").batchWorker("{}")
        .started();
    worker.complete(worker.claimOne().decided("work"));

    assertThat(result(task, "route").getString("message"))
        .isEqualTo("step \"work\" is a batch_worker, and follows from its batchable step");
  }

  @Test
  void a_worker_that_waits_for_a_slot_of_a_policy_keeps_within_the_parallelism() {
    Dag graph = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 3}").stepPolicy("{\"limit\": 2}")
        .step("join").dependsOn("work");
    Dag.Task task = graph.started();
    worker.advance();
    worker.complete(worker.claimOne().batches(5));

    assertThat(counters(task)).isEqualTo("5 3 2 0 0 open");
    assertThatHistoryIsSound();
    for (int round = 0; round < 12; round++) {
      worker.claim(1).forEach(claim -> worker.complete(claim.success()));
      worker.at(Instant.now().plusSeconds(31)).advance();
      assertThatHistoryIsSound();
    }
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void an_operator_completes_a_batchable_step_with_cursors_or_closes_it_with_none() {
    Dag.Task task = cut("{}").started();
    worker.complete(worker.claimOne().permanentFailure());
    Operator operator = new Operator();
    assertThat(
        operator.step(task, "cut", "complete_manually", "{\"result\": 1}").getString("field"))
        .isEqualTo("completion_data/batches");
    assertThat(operator.step(task, "join", "complete_manually", "{\"result\": 1, \"batches\": []}")
        .getString("field"))
        .isEqualTo("completion_data/batches");
    operator.step(task, "cut", "complete_manually", "{\"result\": 1, \"batches\": [7, 8]}");
    assertThat(states(task)).contains("work_001 enqueued", "work_002 enqueued");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");

    Dag.Task none = cut("{}").started();
    worker.complete(worker.claimOne().permanentFailure());
    operator.step(none, "cut", "resolve_manually");
    assertThat(states(none)).containsExactly("cut resolved_manually", "work complete",
        "join enqueued");
    assertThatHistoryIsSound();
  }

  @Test
  void a_single_move_by_sql_keeps_the_parallelism_and_the_counters() {
    Dag.Task task = open(cut("{\"parallelism\": 1, \"failure_strategy\": \"fail_fast\"}"), 2);
    Claim claim = worker.claimOne();
    String move = "select tasker.transition_step_state_atomic(?, 1, ?, ?, ?, ?)";
    assertThat(sql.isTrue(move, claim.step(), "in_progress", "pending", "worker", worker.uuid()))
        .isTrue();
    assertThat(counters(task)).isEqualTo("2 1 0 0 0 open");
    assertThatHistoryIsSound();
    worker.at(Instant.now().plusSeconds(31)).advance();
    claim = worker.claimOne();
    assertThat(
        sql.isTrue(
            "select tasker.transition_step_state_atomic(?, 2, 'in_progress', 'enqueued_as_error_for_orchestration', 'worker', ?)",
            claim.step(), worker.uuid()))
        .isTrue();
    assertThat(
        sql.isTrue(
            "select tasker.transition_step_state_atomic(?, 2, 'enqueued_as_error_for_orchestration', 'error', 'orchestrator', ?)",
            claim.step(), worker.uuid()))
        .isTrue();
    assertThat(counters(task)).isEqualTo("2 1 0 0 1 open");
    assertThatHistoryIsSound();
    worker.at(Instant.now().plusSeconds(99)).advance();
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
  }

  @Test
  void steps_that_are_added_have_other_names_and_places_than_workers() {
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 3);
    String add = "select tasker.add_steps(?, ?)";
    assertThat(sql.object(add, task.uuid(), "[{\"name\": \"work_003\", \"step\": \"join\"}]")
        .getString("code"))
        .isEqualTo("step-name-taken");
    assertThat(sql.object(add, task.uuid(), "[{\"name\": \"more\", \"step\": \"work\"}]")
        .getString("message"))
        .isEqualTo("step work of the template is a batch_worker, and cannot be added");
    assertThat(sql.object(add, task.uuid(), "[{\"name\": \"more\", \"step\": \"join\"}]")
        .getString("outcome")).isEqualTo("done");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void batches_go_with_their_task() {
    Dag.Task task = open(cut("{\"parallelism\": 1}"), 3);
    worker.complete(worker.claimOne().retryableFailure(9_000));
    sql.text("select tasker.request_cancel(?, 'ops', 'enough')", task.uuid());
    assertThat(sql.number("select count(*) from tasker.batch_items")).isEqualTo(1);
    sql.text("select tasker.roll_up_analytics()");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", List.of(task.uuid()))).hasSize(1);

    assertThat(sql.number(
        "select (select count(*) from tasker.batches) + (select count(*) from tasker.batch_items) "
            + "+ (select count(*) from tasker.batch_live_workers)"))
        .isZero();
  }

  @Test
  void two_workers_that_end_at_once_take_one_slot_each() throws Exception {
    for (int round = 0; round < 20; round++) {
      Dag.Task task = open(cut("{\"parallelism\": 2}"), 4);
      List<Claim> claims = worker.claim(9);
      List<CompletableFuture<Void>> both = claims.stream()
          .map(claim -> CompletableFuture.runAsync(() -> {
            try (SqlWorker other = SqlWorker.open(worker.uuid())) {
              other.complete(claim.success());
            }
          })).toList();
      CompletableFuture.allOf(both.toArray(CompletableFuture[]::new)).get();
      assertThat(counters(task)).isEqualTo("4 4 2 2 0 open");
      List<Claim> last = worker.claim(9);
      assertThat(last).hasSize(2);
      List<CompletableFuture<Void>> end = last.stream()
          .map(claim -> CompletableFuture.runAsync(() -> {
            try (SqlWorker other = SqlWorker.open(worker.uuid())) {
              other.complete(claim.success());
            }
          })).toList();
      CompletableFuture.allOf(end.toArray(CompletableFuture[]::new)).get();
      assertThat(states(task)).contains("work complete", "join enqueued");
      sql.text("select tasker.request_cancel(?, 'test', 'done')", task.uuid());
    }
    assertThatHistoryIsSound();
  }

  @Test
  void a_template_whose_worker_has_no_batchable_step_of_its_own_is_refused() {
    Dag two = Dag.of("cut").batchable().step("a").dependsOn("cut").batchWorker("{}").step("b")
        .dependsOn("cut").batchWorker("{}");
    assertThatThrownBy(two::registered)
        .hasMessageContaining("must depend on one batchable step and on nothing else");
    assertThatThrownBy(() -> Dag.of("a").step("b").dependsOn("a").batchWorker("{}").registered())
        .hasMessageContaining("batch_worker b must depend");
  }

  @Test
  void a_batch_is_explained_by_its_step_and_its_unfinished_workers() {
    Dag.Task task = open(cut("{\"parallelism\": 2}"), 50);
    worker.complete(worker.claimOne().permanentFailure());
    worker.claim(1);

    assertThat(sql.texts("select concat_ws(' ', step_name, cause) from tasker.explain_waiting(?)",
        task.uuid()))
        .containsExactly("work batch", "join parents", "work_002 running", "work_003 no_server");
    assertThat(sql.text("select sentence from tasker.explain_waiting(?) where cause = 'batch'",
        task.uuid()))
        .isEqualTo(
            "has ended 1 of 50 workers, 1 of them failed; 2 are in flight, of at most 2 at once");
  }

  @Test
  void the_steps_of_a_task_are_listed_without_the_workers_of_its_batches() {
    Dag.Task task = open(cut("{\"parallelism\": 2}"), 50);

    assertThat(sql.array("select tasker.get_step_documents(?)", task.uuid())).hasSize(3);
    assertThat(
        sql.array("select tasker.get_step_documents(?, ?)", task.uuid(), task.step("work_002")))
        .hasSize(1);
    JsonObject document = sql.array("select tasker.get_task_documents(array[?::uuid])", task.uuid())
        .getJsonObject(0);
    assertThat(document.getJsonArray("steps")).hasSize(3);
    JsonObject batch = document.getJsonArray("batches").getJsonObject(0);
    assertThat(batch.getString("step")).isEqualTo("work");
    assertThat(batch.getInt("total")).isEqualTo(50);
    assertThat(batch.getInt("in_flight")).isEqualTo(2);
    assertThat(batch.getInt("waiting")).as("as in the picture of the workers").isEqualTo(48);
    assertThat(sql.text("select tasker.get_batch_states(?)", task.step("work")))
        .isEqualTo("oo" + "w".repeat(48));
    assertThat(UUID.fromString(batch.getString("step_uuid"))).isEqualTo(task.step("work"));
    assertThat(sql.array("select tasker.get_batch_documents(?)", UUID.randomUUID())).isEmpty();
    String page = "select tasker.list_batch_workers(?, ?, ?, 1)";
    assertThat(sql.object(page, task.uuid(), task.step("work"), 0).getJsonArray("steps")
        .getJsonObject(0).getString("name"))
        .isEqualTo("work_001");
    assertThat(sql.object(page, task.uuid(), task.step("work"), 0).getString("next"))
        .isEqualTo("1");
    assertThat(sql.object(page, task.uuid(), task.step("work"), 1).isNull("next")).isTrue();
    assertThat(sql.text(page, task.uuid(), task.step("join"), 0)).isEqualTo("{}");
    String states = "select tasker.get_batch_states(?, ?, ?)";
    assertThat(sql.text(states, task.step("work"), 0, 10_000))
        .as("two are offered, the others are not created")
        .isEqualTo("oo" + "w".repeat(48));
    assertThat(sql.text(states, task.step("work"), 1, 3)).isEqualTo("oww");
    assertThat(sql.text(states, task.step("work"), 50, 3)).isEmpty();
    assertThat(sql.text(states, task.step("join"), 0, 3)).isNull();
    String filtered = "select tasker.list_batch_workers(?, ?, 0, 10, ?, true)";
    assertThat(
        sql.object(filtered, task.uuid(), task.step("work"), "enqueued").getJsonArray("steps"))
        .hasSize(2);
    assertThat(sql.object(filtered, task.uuid(), task.step("work"), "error").getJsonArray("steps"))
        .isEmpty();
    assertThat(sql.object(filtered, task.uuid(), task.step("work"), "error").getString("states"))
        .hasSize(50);
    assertThat(
        sql.object(filtered, task.uuid(), task.step("work"), "nope").getJsonArray("known_states"))
        .hasSize(sql.texts("select unnest(enum_range(null::tasker.step_state))").size());
  }
}
