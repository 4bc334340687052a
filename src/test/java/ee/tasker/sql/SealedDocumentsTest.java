package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.document.SealedPlaces;
import ee.tasker.platform.Json;
import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a schema seals is in no table in clear, whichever function it comes through. */
@DatabaseTest
@DatabaseTest.Covers({"read_sealed_places", "merge_sealed_places", "read_sealing", "find_unsealed",
  "refuse_unsealed", "mask_sealed", "count_document_keys", "record_opening",
  "find_sealing_violations"})
class SealedDocumentsTest {
  private static final String SCHEMA = "{\"type\": \"object\", \"properties\": {\"iban\":"
      + " {\"x-sealed\": true}, \"cards\": {\"items\": {\"x-sealed\": true}}, \"id\": {}}}";
  private static final String ENVELOPE = "{\"$sealed\": {\"key\": \"k1\", \"data\": \"AAAA\"}}";
  private static final String SEALED = "{\"id\": 1, \"iban\": " + ENVELOPE + ", \"cards\": ["
      + ENVELOPE + "]}";
  private static final String CLEAR = "{\"id\": 1, \"cards\": [" + ENVELOPE + ", 4711]}";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator operator = new Operator();

  private static Dag dag() {
    return Dag.of("a").resultSchema(SCHEMA).inputSchema(SCHEMA).context(SEALED);
  }

  private JsonObject verdict(Dag dag) {
    JsonObject request = dag.request(dag.registered());
    return sql.object("select tasker.submit_tasks(?, p_context_checked => true) #> '{verdicts,0}'",
        jakarta.json.Json.createArrayBuilder().add(request).build());
  }

  private UUID created(Dag dag) {
    JsonObject verdict = verdict(dag);
    assertThat(verdict.getString("verdict")).as("%s", verdict).isEqualTo("created");
    return UUID.fromString(verdict.getString("task_uuid"));
  }

  private List<String> violations() {
    return sql.texts("select invariant from tasker.check_history() where violations > 0");
  }

  // ---- The places

  @Test
  void database_and_servers_read_the_same_places_from_a_schema() {
    Random random = new Random(36);
    for (int i = 0; i < 300; i++) {
      String schema = schema(random, 4);
      assertThat(sql.text("select coalesce(tasker.read_sealed_places(?::jsonb), 'null')::text",
          schema)).as(schema).isEqualTo(
              sql.text("select ?::jsonb::text", SealedPlaces.of(Json.parse(schema)).toJson()
                  .toString()));
    }
  }

  private static String schema(Random random, int depth) {
    if (depth == 0 || random.nextInt(6) == 0) {
      return List.of("{\"x-sealed\": true}", "{\"type\": \"string\"}", "true",
          "{\"x-sealed\": false, \"items\": true}").get(random.nextInt(4));
    }
    StringBuilder text = new StringBuilder("{\"type\": \"object\"");
    if (random.nextBoolean()) {
      text.append(", \"properties\": {\"a\": ").append(schema(random, depth - 1))
          .append(", \"b~/\": ").append(schema(random, depth - 1)).append('}');
    }
    if (random.nextInt(3) == 0) {
      text.append(", \"items\": ").append(schema(random, depth - 1));
    }
    if (random.nextInt(3) == 0) {
      text.append(", \"allOf\": [").append(schema(random, depth - 1)).append(", ")
          .append(schema(random, depth - 1)).append(']');
    }
    return text.append('}').toString();
  }

  @Test
  void only_an_envelope_is_sealed_and_a_place_that_is_missing_is_fine() {
    String places = "{\"properties\": {\"a/b\": true, \"c\": {\"items\": {\"properties\": {\"d\":"
        + " true}}}}}";
    for (String fine : List.of("{}", "null", "[1]", "{\"c\": 1}", "{\"c\": [{}, 2]}",
        "{\"a/b\": " + ENVELOPE + ", \"c\": [{\"d\": " + ENVELOPE + "}]}")) {
      assertThat(sql.text("select tasker.find_unsealed(?::jsonb, ?::jsonb)", fine, places))
          .as(fine).isNull();
    }
    for (String wrong : List.of("1", "null", "{}", "{\"$sealed\": {}}",
        ENVELOPE.replaceFirst("}$", ", \"more\": 1}"),
        "{\"$sealed\": {\"key\": 1, \"data\": \"\"}}",
        "[" + ENVELOPE + "]")) {
      assertThat(sql.text("select tasker.find_unsealed(?::jsonb, ?::jsonb)",
          "{\"a/b\": " + wrong + "}", places)).as(wrong).isEqualTo("/a~1b");
    }
    assertThat(sql.text("select tasker.find_unsealed(?::jsonb, ?::jsonb)",
        "{\"c\": [{}, {\"d\": 1}]}", places)).isEqualTo("/c/1/d");
    assertThat(sql.text("select tasker.find_unsealed('7', 'true')")).isEmpty();
    assertThat(sql.text("select tasker.find_unsealed('7', null)")).isNull();
  }

  // ---- The doors

  @Test
  void a_context_in_clear_is_refused_and_a_sealed_one_accepted() {
    JsonObject refused = verdict(dag().context(CLEAR));

    assertThat(refused.getString("verdict")).isEqualTo("invalid");
    assertThat(refused.getString("field")).isEqualTo("context/cards/1");
    assertThat(refused.getString("message")).contains("must be sealed");
    assertThat(sql.text("select count(*)::text from tasker.task_contexts")).isEqualTo("0");
    created(dag());
    worker.runToTheEnd();
    assertThatHistoryIsSound();
  }

  @Test
  void an_operator_gives_no_result_and_no_context_in_clear() {
    UUID task = created(dag());
    UUID step = UUID.fromString(sql.text(
        "select workflow_step_uuid::text from tasker.workflow_steps where task_uuid = ?", task));
    worker.complete(worker.claimOne().permanentFailure());

    JsonObject refused = sql.object("select tasker.act_on_step(?, ?, 'complete_manually', 'ann',"
        + " 'a test', jsonb_build_object('result', ?::jsonb))", task, step, CLEAR);
    assertThat(refused.getString("code")).isEqualTo("not-sealed");
    assertThat(refused.getString("field")).isEqualTo("result/cards/1");
    refused = operator.task(task, "retry", "{\"context\": " + CLEAR + "}");
    assertThat(refused.getString("code")).isEqualTo("invalid-request");
    assertThat(refused.getString("field")).isEqualTo("context/cards/1");
    assertThat(sql.object("select tasker.act_on_step(?, ?, 'complete_manually', 'ann',"
        + " 'a test', jsonb_build_object('result', ?::jsonb))", task, step, SEALED)
        .getString("outcome")).isEqualTo("done");
    assertThatHistoryIsSound();
  }

  @Test
  void a_signal_in_clear_is_refused_and_the_same_one_sealed_anew_is_a_duplicate() {
    Dag.Task task = Dag.of("pay").waitingOnly(
        "{\"signal\": {\"name\": \"paid\", \"schema\": " + SCHEMA + "}}").started();
    String send = "select tasker.send_signals(array[?], 'paid', ?::jsonb, 'one',"
        + " p_payload_checked => true) #> '{signals,0}'";
    String queue = "select tasker.queue_signals(array[?], 'paid', ?::jsonb, 'two', null, true)"
        + " #> '{signals,0}'";

    for (String call : List.of(send, queue)) {
      JsonObject refused = sql.object(call, task.uuid(), CLEAR);
      assertThat(refused.getString("outcome")).isEqualTo("refused");
      assertThat(refused.getString("code")).isEqualTo("not-sealed");
      assertThat(refused.getString("field")).isEqualTo("payload/cards/1");
    }
    assertThat(sql.object(queue, task.uuid(), SEALED).getString("outcome")).isEqualTo("queued");
    assertThat(sql.object(send, task.uuid(), SEALED).getString("outcome")).isEqualTo("accepted");
    assertThat(sql.object(send, task.uuid(), SEALED.replace("AAAA", "BBBB")).getString("outcome"))
        .isEqualTo("duplicate");
    assertThat(sql.object(send, task.uuid(), SEALED.replace("1,", "2,")).getString("code"))
        .isEqualTo("signal-id-taken");
    assertThatHistoryIsSound();
  }

  @Test
  void a_decision_in_clear_is_refused_and_the_same_one_sealed_anew_is_a_duplicate() {
    sql.run("truncate tasker.access_users, tasker.access_keys, tasker.access_grants cascade");
    sql.run("insert into tasker.access_users (name, created_by) values ('ann', 'a test')");
    sql.run("insert into tasker.access_grants (user_uuid, permission, granted_by)"
        + " select user_uuid, 'approvals:decide', 'a test' from tasker.access_users");
    Dag.Task task = Dag.of("ok").waitingOnly("{\"approval\": {\"title\": \"t\", \"candidates\":"
        + " {\"users\": [\"ann\"], \"roles\": []}, \"due\": \"P1D\", \"form\": " + SCHEMA + "}}")
        .started();
    UUID approval = sql.uuid("select approval_uuid from tasker.approvals where task_uuid = ?",
        task.uuid());
    String decide = "select tasker.decide_approval(?, 'ann', true, ?::jsonb, null, true)";

    JsonObject refused = sql.object(decide, approval, CLEAR);
    assertThat(refused.getString("code")).as("%s", refused).isEqualTo("not-sealed");
    assertThat(refused.getString("field")).isEqualTo("values/cards/1");
    assertThat(sql.object(decide, approval, SEALED).getString("outcome")).isEqualTo("done");
    assertThat(sql.object(decide, approval, SEALED.replace("AAAA", "BBBB")).getString("outcome"))
        .isEqualTo("duplicate");
    assertThat(sql.object(decide, approval, SEALED.replace("1,", "2,")).getString("code"))
        .isEqualTo("approval-decided");
    assertThatHistoryIsSound();
  }

  @Test
  void an_action_that_is_repeated_is_the_same_although_documents_were_opened_meanwhile() {
    UUID task = created(dag());
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(operator.task(task, "retry", "{}").getString("outcome")).isEqualTo("done");
    sql.object("select tasker.record_opening(?, null, 'ann', 'a complaint')", task);

    assertThat(operator.task(task, "retry", "{}").getString("outcome")).isEqualTo("already");
  }

  @Test
  void what_is_masked_is_compared_by_all_that_is_not_sealed() {
    assertThat(sql.text("select tasker.mask_sealed(?::jsonb)::text", SEALED)).isEqualTo(
        "{\"id\": 1, \"iban\": {\"$sealed\": {}}, \"cards\": [{\"$sealed\": {}}]}");
    String text = "{\"a\": \"\\\"$sealed\\\": {\\\"key\\\": \\\"k\\\", \\\"data\\\": \\\"d\\\"}\"}";
    assertThat(sql.text("select tasker.mask_sealed(?::jsonb)::text", text))
        .isEqualTo(sql.text("select ?::jsonb::text", text));
  }

  // ---- The proof

  @Test
  @DatabaseTest.BreaksPromises
  void clear_text_in_a_table_and_a_changed_sealing_are_noticed() {
    created(dag());
    worker.complete(worker.claimOne().success(CLEAR));
    assertThat(violations()).containsExactly("sealed_value_is_sealed");

    sql.run("set session_replication_role = replica");
    sql.run("update tasker.named_tasks_named_steps set sealed = null");
    assertThat(violations()).containsExactly("sealing_is_that_of_its_template");
  }

  @Test
  void keys_are_counted_by_place_and_openings_are_recorded() {
    UUID task = created(dag().context(SEALED.replace("k1", "old")));
    worker.complete(worker.claimOne().success(SEALED));

    assertThat(sql.texts("select concat_ws(' ', key, place, documents)"
        + " from tasker.count_document_keys()")).containsExactly(
            "k1 workflow_step_result_audit.result 1", "old task_contexts.context 1");

    assertThat(sql.object("select tasker.record_opening(?, null, 'ann', 'a complaint')", task)
        .getString("outcome")).isEqualTo("done");
    assertThat(sql.object("select tasker.record_opening(?, ?, 'ann', 'a complaint')", task,
        UUID.randomUUID()).getString("code")).isEqualTo("step-not-found");
    UUID other = created(dag());
    assertThat(sql.object("select tasker.record_opening(?, (select workflow_step_uuid from"
        + " tasker.workflow_steps where task_uuid = ?), 'ann', 'a complaint')", task, other)
        .getString("code")).as("of another task").isEqualTo("step-not-found");
    assertThat(sql.object("select tasker.record_opening(?, null, 'ann', 'a complaint')",
        UUID.randomUUID()).getString("code")).isEqualTo("task-not-found");
    assertThat(sql.texts("select concat_ws(' ', action, acted_by, reason)"
        + " from tasker.operator_actions")).containsExactly("open_documents ann a complaint");
    assertThatHistoryIsSound();
  }
}
