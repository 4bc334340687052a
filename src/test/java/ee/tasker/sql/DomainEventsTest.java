package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * An event of a committed result exists, one of a result that was rolled back never; readers by
 * position miss none.
 */
@DatabaseTest
@DatabaseTest.Covers({"publish_events", "make_event_data", "get_event_definitions", "is_event_due",
  "find_schema_problem",
  "sequence_events",
  "list_domain_events", "get_event_document", "find_event_violations"})
class DomainEventsTest {
  private static final String PAID = "[{\"name\": \"order.paid\"}]";
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<String> events(Dag.Task task) {
    return sql.texts(
        "select concat_ws(' ', e.name, e.outcome, e.attempt, e.data, e.error ->> 'type') from tasker.domain_events e "
            + "where e.task_uuid = ? order by e.event_number",
        task.uuid());
  }

  private JsonObject page(String filter, long after) {
    return sql.object("select tasker.list_domain_events(?::jsonb, 10, ?)", filter, after);
  }

  private static List<String> ids(JsonObject page) {
    return page.getJsonArray("events").getValuesAs(JsonObject.class).stream()
        .map(event -> event.getString("subject")).toList();
  }

  @Test
  void a_result_publishes_what_its_condition_asks_for() {
    Dag.Task task = Dag.of("pay").maxAttempts(2)
        .publishes("[{\"name\": \"ok\"}, {\"name\": \"failed\", \"condition\": \"failure\"}, "
            + "{\"name\": \"again\", \"condition\": \"retryable_failure\"}, {\"name\": \"gone\", \"condition\": \"permanent_failure\"}, "
            + "{\"name\": \"ended\", \"condition\": \"always\"}]")
        .started();
    worker.complete(worker.claimOne().retryableFailure(0));
    assertThat(events(task)).extracting(line -> line.substring(0, line.indexOf('{')).trim())
        .containsExactly("failed retryable_failure 1", "again retryable_failure 1",
            "ended retryable_failure 1");
    sql.run("update tasker.task_wakeups set wake_at = now()");
    worker.advance();

    worker.complete(worker.claimOne().success("{\"total\": 5}"));

    assertThat(events(task)).hasSize(5).endsWith("ok success 2 {\"total\": 5}",
        "ended success 2 {\"total\": 5}");
    assertThatHistoryIsSound();
  }

  @Test
  void the_source_of_an_event_of_a_step_is_the_path_of_the_step_in_rest() throws IOException {
    Dag.Task task = Dag.of("pay").publishes(PAID).started();
    worker.complete(worker.claimOne().success("1"));

    String source = sql.text("select tasker.get_event_document(event_uuid) ->> 'source' "
        + "from tasker.domain_events where task_uuid = ?", task.uuid());

    String step = sql.text(
        "select workflow_step_uuid from tasker.workflow_steps where task_uuid = ?",
        task.uuid());
    String path = source.replace(task.uuid().toString(), "{task_uuid}").replace(step,
        "{step_uuid}");
    try (InputStream openApi = getClass().getResourceAsStream("/META-INF/tasker/openapi.yaml")) {
      assertThat(new String(openApi.readAllBytes(), StandardCharsets.UTF_8))
          .contains("\n  " + path + ":\n");
    }
    assertThat(path).contains("{task_uuid}").contains("{step_uuid}");
  }

  @Test
  void a_result_that_is_rolled_back_or_refused_publishes_nothing() {
    Dag.Task task = Dag.of("pay").publishes(PAID).started();
    SqlWorker.Claim claim = worker.claimOne();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(claim.success("1"));
      assertThat(session.number("select count(*) from tasker.domain_events")).isEqualTo(1);
      session.rollback();
    }
    assertThat(events(task)).isEmpty();

    worker.complete(claim.asHandoff(claim.handoff() + 1).success("1"));
    assertThat(events(task)).isEmpty();
    worker.complete(claim.success("1"));
    worker.complete(claim.success("2"));
    assertThat(events(task)).containsExactly("order.paid success 1 1");
    assertThatHistoryIsSound();
  }

  @Test
  void every_way_to_record_a_result_publishes() {
    Dag.Task several = Dag.parallel(1).publishes(PAID).step("p2").publishes(PAID).started();
    worker.complete(0, worker.claim(2).stream().map(claim -> claim.success("2")).toList());
    assertThat(events(several)).hasSize(2);

    Dag.Task split = Dag.of("a").publishes(PAID).started();
    worker.submitResults(worker.claimOne().success("3"));
    assertThat(events(split)).containsExactly("order.paid success 1 3");
    sql.object("select tasker.process_step_results(gen_random_uuid())");

    Dag.Task operated = Dag.of("a").publishes(PAID).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(events(operated)).isEmpty();
    sql.text(
        "select tasker.act_on_step(?, ?, 'complete_manually', 'ann', 'a test', '{\"result\": 4}')",
        operated.uuid(),
        operated.step("a"));
    assertThat(events(operated)).containsExactly("order.paid manual_completion 1 4");

    Dag.Task signalled = Dag.of("a").waitingOnly("{\"signal\": {\"name\": \"go\"}}").publishes(PAID)
        .started();
    worker.advance();
    sql.text("select tasker.send_signals(array[?], 'go', '5'::jsonb)", signalled.uuid());
    assertThat(events(signalled)).hasSize(1);
    assertThatHistoryIsSound();
  }

  @Test
  void steps_that_are_added_decided_and_forked_publish_once() {
    Dag.Task task = Dag.of("a").publishes(PAID).step("route").dependsOn("a").decision().step("x")
        .dependsOn("route").publishes(PAID)
        .started();
    worker.complete(worker.claimOne().success("1"));
    sql.text("select tasker.add_steps(?, '[{\"name\": \"more\", \"step\": \"a\"}]')", task.uuid());
    for (SqlWorker.Claim claim : worker.claim(9)) {
      worker.complete(
          claim.step().equals(task.step("route")) ? claim.decided("x") : claim.success("2"));
    }
    worker.complete(worker.claimOne().success("3"));
    assertThat(events(task)).hasSize(3);

    Dag.Task source = Dag.of("a").publishes(PAID).step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().success("1"));
    worker.complete(worker.claimOne().success("2"));
    JsonObject fork = sql
        .object("select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"b\"]}')", source.uuid());

    assertThat(fork.getString("outcome")).as(fork.toString()).isEqualTo("done");
    assertThat(fork.getInt("copied_steps")).isEqualTo(1);
    assertThat(sql.number("select count(*) from tasker.domain_events where task_uuid = ?::uuid",
        fork.getString("task_uuid"))).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void a_mapping_makes_the_data_from_context_results_and_the_steps_own_result() {
    Dag.Task task = Dag.of("check").step("pay").dependsOn("check").context("{\"order\": 7}")
        .publishes(
            "[{\"name\": \"paid\", \"payload\": {\"order\": \"$.context.order\", \"score\": \"$.results.check.score\", \"id\": \"$.results.pay.id\", "
                + "\"in\": \"$.task.namespace\"}}, {\"name\": \"failed\", \"condition\": \"failure\", \"payload\": {\"why\": \"$.results.pay.error.type\"}}]")
        .started();
    worker.complete(worker.claimOne().success("{\"score\": 9}"));
    worker.complete(worker.claimOne().success("{\"id\": \"p-1\"}"));

    assertThat(events(task)).containsExactly(
        "paid success 1 {\"id\": \"p-1\", \"in\": \"orders\", \"order\": 7, \"score\": 9}");

    Dag.Task other = Dag.of("pay")
        .publishes(
            "[{\"name\": \"failed\", \"condition\": \"failure\", \"payload\": {\"why\": \"$.results.pay.error.type\"}}]")
        .started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(events(other)).singleElement().asString()
        .startsWith("failed permanent_failure 1 {\"why\": \"");
  }

  @Test
  void data_that_cannot_be_made_or_do_not_fit_are_told_and_the_result_stays() {
    Dag.Task task = Dag.of("pay")
        .publishes(
            "[{\"name\": \"typed\", \"schema\": {\"type\": \"object\", \"required\": [\"id\"]}}, "
                + "{\"name\": \"asked\", \"payload\": {\"n\": \"$.context.n.double()\"}}]")
        .context("{\"n\": \"x\"}").started();
    worker.complete(worker.claimOne().success("{}"));

    assertThat(events(task)).containsExactly("typed success 1 {} schema_violation",
        "asked success 1 expression_error");
    assertThatTask(task).isIn("complete");
    Dag.Task large = Dag.of("pay").publishes(PAID).started();
    worker.complete(worker.claimOne().success("\"" + "x".repeat(61_440) + "\""));
    assertThat(events(large)).containsExactly("order.paid success 1 event_too_large");
    sql.number("select tasker.sequence_events()");
    assertThat(page("{\"with_error\": true}", 0).getJsonArray("events")).hasSize(3)
        .extracting(event -> event.asJsonObject().getString("taskererror"))
        .contains("schema_violation: $ must have the member id",
            "event_too_large: the data has 61442 bytes; at most 61440 are published");
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', nullValues = "fits", value = {
    "{\"type\": \"integer\"} | 1 | fits",
    "{\"type\": \"integer\"} | 1.5 | $ must be of type integer, but is number",
    "{\"type\": [\"string\", \"null\"]} | null | fits",
    "{\"type\": [\"string\", \"null\"]} | 1 | $ must be of type string, null, but is number",
    "{\"enum\": [1, \"a\"]} | \"b\" | $ must be one of [1, \"a\"]",
    "{\"const\": {\"a\": 1}} | {\"a\": 2} | $ must be {\"a\": 1}",
    "{\"minimum\": 3} | 2 | $ must be at least 3", "{\"minimum\": 3} | 3 | fits",
    "{\"exclusiveMinimum\": 3} | 3 | $ must be more than 3",
    "{\"maximum\": 3} | 4 | $ must be at most 3",
    "{\"exclusiveMaximum\": 3} | 3 | $ must be less than 3",
    "{\"minLength\": 2} | \"a\" | $ must have at least 2 characters",
    "{\"maxLength\": 2} | \"abc\" | $ must have at most 2 characters",
    "{\"minItems\": 1} | [] | $ must have at least 1 elements",
    "{\"maxItems\": 1} | [1, 2] | $ must have at most 1 elements",
    "{\"items\": {\"type\": \"string\"}} | [\"a\", 1] | $[1] must be of type string, but is number",
    "{\"required\": [\"a\"]} | {\"b\": 1} | $ must have the member a",
    "{\"required\": [\"a\"]} | 1 | fits",
    "{\"properties\": {\"a\": {\"properties\": {\"b\": {\"maximum\": 1}}}}} | {\"a\": {\"b\": 2}} | $.a.b must be at most 1",
    "{\"properties\": {\"a\": true}, \"additionalProperties\": false} | {\"a\": 1, \"c\": 2} | $.c must not be there",
    "true | 1 | fits", "false | 1 | $ must not be there"})
  void a_schema_finds_the_first_problem(String schema, String value, String problem) {
    assertThat(sql.text("select tasker.find_schema_problem(?::jsonb, ?::jsonb)", schema, value))
        .isEqualTo(problem);
  }

  @Test
  void an_event_that_commits_late_is_read_after_those_that_were_read_before() {
    Dag.Task slow = Dag.of("a").publishes(PAID).started();
    SqlWorker.Claim first = worker.claimOne();
    Dag.Task quick = Dag.of("a").publishes(PAID).started();
    SqlWorker.Claim second = worker.claimOne();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(first.success("1"));
      worker.complete(second.success("2"));
      assertThat(sql.number("select tasker.sequence_events()")).isEqualTo(1);
      JsonObject page = page("{}", 0);
      assertThat(ids(page)).containsExactly(quick.uuid().toString());
      session.commit();

      assertThat(sql.number("select tasker.sequence_events()")).isEqualTo(1);
      assertThat(ids(page("{}", page.getJsonNumber("position").longValue())))
          .containsExactly(slow.uuid().toString());
    }
    assertThatHistoryIsSound();
  }

  @Test
  void positions_that_another_transaction_assigns_are_not_overtaken() {
    Dag.Task first = Dag.of("a").publishes(PAID).started();
    worker.complete(worker.claimOne().success("1"));
    try (Sql session = Sql.session()) {
      assertThat(session.number("select tasker.sequence_events()")).isEqualTo(1);
      Dag.Task second = Dag.of("a").publishes(PAID).started();
      worker.complete(worker.claimOne().success("2"));
      assertThat(sql.number("select tasker.sequence_events()")).isZero();
      assertThat(ids(page("{}", 0))).isEmpty();
      session.commit();

      assertThat(sql.number("select tasker.sequence_events()")).isEqualTo(1);
      assertThat(ids(page("{}", 0))).containsExactly(first.uuid().toString(),
          second.uuid().toString());
    }
  }

  @Test
  void a_page_is_filtered_and_says_where_to_go_on() {
    Dag.Task here = Dag.of("a").publishes(PAID).started();
    worker.complete(worker.claimOne().success("1"));
    Dag.Task there = Dag.of("a").inNamespace("payments")
        .publishes("[{\"name\": \"other\", \"condition\": \"always\"}]").started();
    worker.complete(worker.claimOne().success("2"));
    sql.number("select tasker.sequence_events()");

    JsonObject all = page("{}", 0);
    assertThat(ids(all)).containsExactly(here.uuid().toString(), there.uuid().toString());
    assertThat(page("{}", all.getJsonNumber("position").longValue()).getJsonNumber("position"))
        .isEqualTo(all.getJsonNumber("position"));
    assertThat(all.isNull("next")).isTrue();
    assertThat(ids(page("{\"namespace\": \"payments\"}", 0)))
        .containsExactly(there.uuid().toString());
    assertThat(ids(page("{\"namespaces\": [\"orders\"]}", 0)))
        .containsExactly(here.uuid().toString());
    assertThat(ids(page("{\"type\": \"other\"}", 0))).containsExactly(there.uuid().toString());
    assertThat(ids(page("{\"name\": \"" + here.template().name() + "\"}", 0)))
        .containsExactly(here.uuid().toString());
    assertThat(ids(page("{\"task_uuid\": \"" + here.uuid() + "\"}", 0)))
        .containsExactly(here.uuid().toString());
    assertThat(ids(page("{\"correlation_id\": \"00000000-0000-7000-8000-000000000000\"}", 0)))
        .isEmpty();
    JsonObject first = sql.object("select tasker.list_domain_events('{}', 1, 0)");
    assertThat(ids(first)).containsExactly(here.uuid().toString());
    assertThat(first.getJsonNumber("next")).isEqualTo(first.getJsonNumber("position"));
    assertThat(ids(page("{}", first.getJsonNumber("next").longValue())))
        .containsExactly(there.uuid().toString());
    JsonObject event = all.getJsonArray("events").getJsonObject(0);
    assertThat(event.getString("specversion")).isEqualTo("1.0");
    assertThat(event.getString("type")).isEqualTo("order.paid");
    assertThat(event.getString("partitionkey")).isEqualTo(here.uuid().toString());
    assertThat(event.getString("sequence")).hasSize(19);
    assertThat(event.getInt("data")).isEqualTo(1);
    assertThat(sql.text("select tasker.get_event_document(?::uuid)",
        "00000000-0000-7000-8000-000000000000")).isNull();
  }

  @Test
  void the_end_of_the_feed_knows_which_positions_there_have_been_although_their_events_are_gone() {
    Dag.Task task = Dag.of("a").publishes(PAID).started();
    worker.complete(worker.claimOne().success("1"));
    sql.number("select tasker.sequence_events()");

    JsonObject end = sql.object("select tasker.list_domain_events('{}', 1, null)");
    sql.text("select tasker.roll_up_analytics()");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(array[?]))", task.uuid())).hasSize(1);
    JsonObject emptied = sql.object("select tasker.list_domain_events('{}', 1, null)");

    assertThat(end.getJsonArray("events")).isEmpty();
    assertThat(end.getJsonNumber("bound")).isEqualTo(end.getJsonNumber("position"));
    assertThat(emptied.getJsonNumber("position").longValue())
        .isLessThan(end.getJsonNumber("position").longValue());
    assertThat(emptied.getJsonNumber("bound")).isEqualTo(end.getJsonNumber("bound"));
    assertThat(page("{}", 0)).doesNotContainKey("bound");
  }

  @Test
  void events_are_deleted_with_their_task() {
    Dag.Task task = Dag.of("a").publishes(PAID).started();
    worker.complete(worker.claimOne().success("1"));
    sql.text("select tasker.roll_up_analytics()");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(array[?]))", task.uuid())).hasSize(1);
    assertThat(events(task)).isEmpty();
  }
}
