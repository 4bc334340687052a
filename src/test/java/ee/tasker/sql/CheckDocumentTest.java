package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is stored can be read again, whichever way it comes: sizes count with all digits. */
@DatabaseTest
@DatabaseTest.Covers({"check_document", "hash_texts", "limit_answer", "limit_results"})
class CheckDocumentTest {
  private static final String DIGITS = "must not contain numbers of more than 1000 digits before or after the point";
  private static final UUID SERVER = UUID.randomUUID();

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private String complaint(String json) {
    return sql.text("select tasker.check_document(?::jsonb)", json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "1e999", "-1e999", "1e-1000", "0e-1000", "{\"a\": [1.5, \"1e5000\"]}"})
  void a_document_that_every_reader_reads_is_stored(String json) {
    assertThat(complaint(json)).isNull();
  }

  @Test
  void numbers_of_more_digits_than_readers_take_are_refused_wherever_they_stand() {
    for (String number : List.of("1e1000", "-1e1000", "1e-1001", "0e-1001", "1" + "0".repeat(1000),
        "0." + "3".repeat(1001), "1e131071")) {
      assertThat(complaint("{\"a\": [\"b\", {\"c\": " + number + "}]}")).as(number)
          .isEqualTo(DIGITS);
    }
    assertThat(complaint("1" + "0".repeat(999) + "." + "3".repeat(1000))).isNull();
    assertThat(complaint("{\"a\": \"" + "7".repeat(5_000) + "\", \"b\": 1}"))
        .as("a string of digits").isNull();
    assertThat(sql.number(
        """
        select count(*) from generate_series(0, 1000, 9) i
        where tasker.check_document(('{"a": "' || repeat('x', i) || '", "b": ' || repeat('7', 1001) || '}')::jsonb) is null"""))
        .as("at any place in the text").isZero();
  }

  @Test
  void nesting_has_an_end() {
    assertThat(complaint("[".repeat(500) + "]".repeat(500))).isNull();
    assertThat(complaint("[".repeat(501) + "]".repeat(501)))
        .isEqualTo("must not be nested more than 500 deep");
    assertThat(complaint("{\"a\":".repeat(500) + "{}" + "}".repeat(500)))
        .isEqualTo("must not be nested more than 500 deep");
  }

  @Test
  void a_size_is_that_of_the_text_with_all_digits() {
    assertThat(sql.text("select tasker.check_document('[1e10, 1e-9]', 26)")).isNull();
    assertThat(sql.text("select tasker.check_document('[1e10, 1e-9]', 25)"))
        .isEqualTo("must have at most 25 bytes with all digits of its numbers, but has 26");
    assertThat(sql.text("select tasker.check_document(jsonb_build_array(repeat('x', 33554429)))"))
        .isEqualTo(
            "must have at most 33554432 bytes with all digits of its numbers, but has 33554433");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "null", "true", "false", "0", "-0.5", "1e20", "-1.5e-7",
    "1.50", "[1, 2, [3]]",
    "{\"a\": {\"b\": 1, \"ü\": []}}",
    "\"\\\"\\\\\\n\\u0001\\u007f/ü日😀\"", "{\"a\\tb\": [\"\", {}]}", "12345678901234567890.123"})
  void java_counts_as_the_database_writes(String json) {
    assertThat(JsonbCheck.size(Json.parse(json)))
        .isEqualTo(sql.number("select octet_length((?::jsonb)::text)", json));
  }

  // ---- every door

  private List<JsonObject> submitted(String... contexts) {
    Dag dag = Dag.of("a").identity("strict");
    Dag.Template template = dag.registered();
    var requests = Json.build().createArrayBuilder();
    for (String context : contexts) {
      requests.add(dag.context(context).request(template));
    }
    return sql.object("select tasker.submit_tasks(?::jsonb)", requests.build())
        .getJsonArray("verdicts").getValuesAs(JsonObject.class);
  }

  @Test
  void a_context_that_becomes_too_long_is_refused_alone() {
    // As it arrives it has 200 kB.
    String context = "{\"a\": [1e999" + ",1e999".repeat(33_999) + "]}";

    List<JsonObject> verdicts = submitted("{\"n\": 1}", context, "{\"n\": 1e1000}", "{\"n\": 2}");

    assertThat(verdicts).extracting(verdict -> verdict.getString("verdict"))
        .containsExactly("created", "invalid", "invalid", "created");
    assertThat(verdicts.get(1).getString("field")).isEqualTo("context");
    assertThat(verdicts.get(1).getString("message"))
        .startsWith("context must have at most 33554432 bytes").endsWith("has 34068007");
    assertThat(verdicts.get(2).getString("message")).isEqualTo("context " + DIGITS);
  }

  @Test
  void tags_have_a_limit_too() {
    Dag dag = Dag.of("a");
    assertThat(sql.text("""
        select tasker.submit_tasks(jsonb_build_array(?::jsonb || jsonb_build_object('tags', jsonb_build_array(repeat('x', 200000)))))
          #>> '{verdicts,0,field}'""", dag.request(dag.registered()))).isEqualTo("tags");
  }

  @Test
  void a_request_of_the_queue_whose_context_is_not_checked_any_more_is_refused_alone() {
    Dag dag = Dag.of("a");
    Dag.Template template = dag.registered();

    JsonArray verdicts = sql.object(
        "select tasker.submit_queued_requests(jsonb_build_array(?::jsonb, ?::jsonb, ?::jsonb), ?)",
        dag.context("{\"n\": 1}").request(template),
        dag.context("{\"n\": 1e1000}").request(template),
        dag.context("{\"n\": 2}").request(template),
        SERVER).getJsonArray("verdicts");

    assertThat(verdicts.getValuesAs(JsonObject.class))
        .extracting(verdict -> verdict.getString("verdict"))
        .containsExactly("created", "failed", "created");
    assertThat(verdicts.getJsonObject(1).getString("sqlstate")).isEqualTo("23514");
    assertThat(verdicts.getJsonObject(1).getString("message")).endsWith(DIGITS);
  }

  @Test
  void a_result_or_error_that_no_worker_could_read_is_refused_and_the_step_still_runs() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    for (String members : List.of("\"outcome\": \"success\", \"result\": {\"n\": 1e1000}",
        "\"outcome\": \"success\", \"result\": "
            + "[".repeat(901) + "]".repeat(901),
        "\"outcome\": \"retryable_failure\", \"error\": {\"type\": \"T\", \"message\": \"m\", \"details\": {\"n\": 1e1000}}")) {
      assertThatDatabaseRefuses("23514",
          () -> sql.text("select tasker.complete_steps(?::jsonb, ?)::text",
              "[{\"step_uuid\": \"" + claim.step()
                  + "\", \"task_uuid\": \"" + claim.task() + "\", \"handoff\": " + claim.handoff()
                  + ", " + members + "}]",
              worker.uuid()));
    }
    assertThatStep(task.step("a")).isIn("in_progress");
    worker.complete(claim.success("{\"n\": 1e999}"));
    assertThatStep(task.step("a")).isIn("complete");
  }

  @Test
  void checkpoints_cursors_and_signals_have_the_same_limits() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    assertThat(sql.text("select tasker.check_checkpoint('{\"n\": 1e1000}')"))
        .isEqualTo("the checkpoint " + DIGITS);
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.save_checkpoint(?, ?, '{\"n\": 1e1000}')", claim.step(),
            claim.handoff()));
    assertThat(sql.text("select tasker.check_signal('go', '{\"n\": 1e1000}', null) ->> 'message'"))
        .isEqualTo(DIGITS);
    assertThat(sql.text("select tasker.check_signal('go', '[\"" + "x".repeat(2000) + "\"]', null)"))
        .isNull();

    Dag.Task batch = Dag.of("split").batchable().step("work").dependsOn("split").batchWorker("{}")
        .inNamespace("cursors").started();
    Claim split = worker.forNamespaces("cursors").claimOne();
    worker.complete(split.batches("1e1000"));
    assertThatStep(batch.step("split")).isIn("error");
    assertThat(
        sql.text(
            "select error ->> 'message' from tasker.workflow_step_result_audit where workflow_step_uuid = ?",
            batch.step("split")))
        .isEqualTo("batches " + DIGITS);
    assertThatStep(task.step("a")).isIn("in_progress");
  }

  @Test
  void what_operators_give_has_the_same_limits() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    worker.complete(worker.claimOne().permanentFailure());
    UUID step = task.step("a");
    for (String call : List.of(
        "act_on_step(?, '" + step
            + "', 'reset_for_retry', 'ann', 'a test', '{\"inputs\": {\"n\": 1e1000}}')",
        "act_on_step(?, '" + step
            + "', 'complete_manually', 'ann', 'a test', '{\"result\": {\"n\": 1e1000}}')",
        "act_on_task(?, 'retry', 'ann', 'a test', '{\"context\": {\"n\": 1e1000}}')")) {
      JsonObject refusal = sql.object("select tasker." + call, task.uuid());
      assertThat(refusal.getString("code")).as(call).isEqualTo("invalid-request");
      assertThat(refusal.getString("field")).as(call).isIn("inputs", "result", "context");
      assertThat(refusal.getString("message")).as(call).isEqualTo(DIGITS);
    }
    assertThatStep(step).isIn("error");
    UUID entry = sql.uuid("select dlq_entry_uuid from tasker.tasks_dlq where task_uuid = ?",
        task.uuid());
    String update = "select tasker.update_dlq_entry(?, null, 'ann', 'a test', jsonb_build_object(?::text, repeat('x', 600000)))";
    assertThat(sql.object(update, entry, "first").getString("outcome")).isEqualTo("done");
    assertThat(sql.object(update, entry, "second").getString("field"))
        .as("with what is there already").isEqualTo("metadata");
    assertThat(sql.object(
        "select tasker.add_steps(?, jsonb_build_array(jsonb_build_object('name', 'b', 'step', 'a', 'inputs', '{\"n\": 1e1000}'::jsonb)))",
        task.uuid()).getString("field")).isEqualTo("steps[0].inputs");
    assertThat(sql.object(
        "select tasker.save_schedule('{\"namespace\": \"x\", \"context\": {\"n\": 1e1000}}', 'ann', 'a test')")
        .getString("field"))
        .isEqualTo("context");
  }

  // ---- answers

  @Test
  void an_answer_shows_results_up_to_four_mebibytes_and_tells_the_sizes_of_all() {
    Dag.Task task = Dag.parallel(6).inNamespace("long").started();
    worker.forNamespaces("long").claim(6).forEach(
        claim -> worker.complete(claim.success("{\"text\": \"" + "x".repeat(1_000_000) + "\"}")));

    List<JsonObject> steps = sql.array("select tasker.get_step_documents(?)", task.uuid())
        .getValuesAs(JsonObject.class);

    assertThat(steps).extracting(step -> step.isNull("result")).containsExactly(false, false, false,
        false, true, true);
    assertThat(steps)
        .allMatch(step -> step.getJsonObject("document_bytes").getInt("result") == 1_000_012);
    assertThat(sql
        .array("select tasker.get_step_documents(?, ?)", task.uuid(),
            UUID.fromString(steps.get(5).getString("step_uuid")))
        .getJsonObject(0)
        .isNull("result")).as("alone").isFalse();
  }

  @Test
  void a_document_that_is_longer_than_an_answer_is_read_in_parts_only() {
    Dag.Task task = Dag.of("a").context("{\"text\": \"" + "x".repeat(4_194_304) + "\"}")
        .inNamespace("longer").started();

    JsonObject document = sql.object("select tasker.get_task_documents(array[?::uuid]) -> 0",
        task.uuid());

    assertThat(document.isNull("context")).isTrue();
    assertThat(document.getJsonObject("document_bytes").getInt("context")).isEqualTo(4_194_316);
    assertThat(sql.object("select tasker.read_document(?::uuid, null, 'context', null, '', 0, 10)",
        task.uuid()).getInt("bytes"))
        .isEqualTo(4_194_316);
  }

  @Test
  void an_answer_that_is_too_long_is_refused() {
    assertThat(sql.number("select length(tasker.limit_answer(repeat('x', 16777216)))"))
        .isEqualTo(16_777_216);
    assertThatDatabaseRefuses("TK012",
        () -> sql.text("select tasker.limit_answer(repeat('x', 16777217))"));
  }

  @Test
  void steps_whose_documents_do_not_fit_into_a_reply_are_left_out_of_it_and_can_be_given_back() {
    Dag dag = Dag.of("a").context("{\"text\": \"" + "x".repeat(9_000_000) + "\"}")
        .inNamespace("large");
    List<Dag.Task> tasks = dag.started(3);

    List<JsonObject> claimed = sql.array("select tasker.claim_steps(?, 3, array['large'])", SERVER)
        .getValuesAs(JsonObject.class);

    assertThat(claimed).extracting(step -> step.getBoolean("left_out", false))
        .containsExactly(false, true, true);
    assertThat(claimed.get(1)).doesNotContainKeys("context").containsKeys("step_uuid", "task_uuid",
        "template_step_uuid", "handoff");
    sql.object("select tasker.release_steps(?::jsonb, ?)",
        Json.build().createArrayBuilder(claimed.subList(1, 3)).build(), SERVER);
    assertThat(
        sql.array("select tasker.claim_steps(?, 1, array['large'])", SERVER).getJsonObject(0))
        .containsKey("context");
    assertThat(tasks).hasSize(3);
  }

  @Test
  void the_history_has_no_details_of_long_errors() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    worker.complete(worker.claimOne().permanentFailure("x".repeat(20_000)));

    assertThat(
        sql.number(
            "select max(length(e -> 'error' ->> 'message')) from jsonb_array_elements(tasker.get_task_history(?)) e",
            task.uuid()))
        .isEqualTo(4_000);
  }
}
