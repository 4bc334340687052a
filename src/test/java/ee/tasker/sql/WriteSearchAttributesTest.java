package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DatabaseTest
@DatabaseTest.Covers("extract_search_attributes")
class WriteSearchAttributesTest {
  private static final String ATTRIBUTES = "{\"order\": \"order_id\", \"customer\": \"customer.id\"}";

  private final Sql sql = Sql.open();
  private final Operator operator = new Operator();

  private static Dag dag(String context) {
    return Dag.of("a").notRetryable().searchAttributes(ATTRIBUTES).context(context);
  }

  private List<String> attributes(Dag.Task task) {
    return sql.texts(
        "select name || '=' || value from tasker.task_search_attributes where task_uuid = ? order by name",
        task.uuid());
  }

  private List<String> found(String filter) {
    return sql.texts(
        "select t ->> 'task_uuid' from json_array_elements(tasker.list_tasks(?::jsonb, 100) -> 'tasks') t",
        filter);
  }

  private static String[] uuids(Dag.Task... tasks) {
    return java.util.Arrays.stream(tasks).map(task -> task.uuid().toString())
        .toArray(String[]::new);
  }

  private JsonObject submit(Dag.Template template, String... contexts) {
    StringBuilder requests = new StringBuilder("[");
    for (String context : contexts) {
      requests.append(requests.length() > 1 ? "," : "").append("{\"namespace\": \"")
          .append(template.namespace()).append("\", \"name\": \"")
          .append(template.name())
          .append("\", \"version\": \"").append(template.version()).append("\", \"context\": ")
          .append(context).append("}");
    }
    return sql.object("select tasker.submit_tasks(?::jsonb)", requests.append("]").toString());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "{\"order_id\": \"A-17\"} | order=A-17", "{\"order_id\": 17} | order=17",
    "{\"order_id\": 1.50} | order=1.50",
    "{\"order_id\": true} | order=true",
    "{\"order_id\": \"\"} | order=", "{\"order_id\": null} | ``", "{} | ``",
    "{\"customer\": {\"id\": \"7\"}} | customer=7",
    "{\"customer\": {}} | ``",
    "{\"customer\": 7} | ``", "{\"customer\": [{\"id\": 7}]} | ``", "{\"customer.id\": 7} | ``"})
  void a_scalar_under_the_path_is_the_value_and_what_is_missing_has_none(String context,
      String attribute) {
    assertThat(String.join(" ", attributes(dag(context).started()))).isEqualTo(attribute);
  }

  @Test
  void the_longest_value_has_256_characters() {
    String longest = "ü".repeat(256);

    Dag.Task task = dag("{\"order_id\": \"" + longest + "\"}").started();

    assertThat(attributes(task)).containsExactly("order=" + longest);
    assertThat(found("{\"attributes\": {\"order\": \"" + longest + "\"}}"))
        .containsExactly(uuids(task));
  }

  @Test
  void a_value_that_cannot_be_stored_is_refused_and_the_others_of_the_batch_are_not() {
    Dag.Template template = dag("{}").registered();
    String object = " must be a string, a number, true or false: it is the search attribute ";

    JsonObject reply = submit(template, "{\"order_id\": 1}", "{\"order_id\": {\"secret\": 1}}",
        "{\"customer\": {\"id\": [\"secret\"]}}",
        "{\"order_id\": \"" + "x".repeat(257) + "\"}", "{\"order_id\": 2}");

    List<JsonObject> verdicts = reply.getJsonArray("verdicts").getValuesAs(JsonObject.class);
    assertThat(verdicts).extracting(verdict -> verdict.getString("verdict")).containsExactly(
        "created", "invalid", "invalid", "invalid",
        "created");
    assertThat(verdicts.subList(1, 4)).extracting(verdict -> verdict.getString("field"))
        .containsExactly("context.order_id",
            "context.customer.id", "context.order_id");
    assertThat(verdicts.subList(1, 4)).extracting(verdict -> verdict.getString("message"))
        .containsExactly(
            "context.order_id" + object + "order of the template",
            "context.customer.id" + object + "customer of the template",
            "context.order_id must have at most 256 characters: it is the search attribute order of the template");
    assertThat(sql.texts("select value from tasker.task_search_attributes order by value"))
        .containsExactly("1", "2");
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(2);
  }

  @Test
  void a_duplicate_writes_nothing() {
    Dag dag = dag("{\"order_id\": 1}").identity("strict");
    Dag.Task task = dag.started();

    assertThat(submit(task.template(), "{\"order_id\": 1}", "{\"order_id\": 1}")
        .getJsonArray("verdicts").getValuesAs(JsonObject.class))
        .extracting(verdict -> verdict.getString("verdict")).containsOnly("duplicate");
    assertThat(sql.number("select count(*) from tasker.task_search_attributes")).isOne();
  }

  /** The function is called for no batch without such a template: taken away, it is not missed. */
  @Test
  void a_template_without_the_key_submits_without_a_further_statement() {
    Dag.Template template = Dag.of("a").registered();
    try (Sql session = Sql.session()) {
      session.run("drop function tasker.write_search_attributes(uuid[])");

      assertThat(session
          .object("select tasker.submit_tasks(jsonb_build_array(?::jsonb))",
              Dag.of("a").request(template))
          .getJsonArray("verdicts").getJsonObject(0).getString("verdict"))
          .isEqualTo("created");
      session.rollback();
    }
  }

  @Test
  void an_operators_retry_with_another_context_writes_its_values() {
    Dag.Task task = dag("{\"order_id\": \"A-17\", \"customer\": {\"id\": 7}}").started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().permanentFailure());

      JsonObject refused = operator.task(task, "retry", "{\"context\": {\"order_id\": [1]}}");
      assertThat(refused.getString("code")).isEqualTo("invalid-request");
      assertThat(refused.getString("field")).isEqualTo("context.order_id");
      assertThat(attributes(task)).containsExactly("customer=7", "order=A-17");
      assertThat(
          sql.text("select context ->> 'order_id' from tasker.task_contexts where task_uuid = ?",
              task.uuid()))
          .isEqualTo("A-17");

      assertThat(operator.task(task, "retry", "{\"context\": {\"order_id\": \"A-18\"}}")
          .getString("outcome")).isEqualTo("done");
    }
    assertThat(attributes(task)).containsExactly("order=A-18");
    assertThat(found("{\"attributes\": {\"order\": \"A-17\"}}")).isEmpty();
    assertThat(found("{\"attributes\": {\"order\": \"A-18\"}}")).containsExactly(uuids(task));
  }

  @Test
  void writing_again_changes_nothing_and_mends_what_is_wrong() {
    Dag.Task task = dag("{\"order_id\": 1}").started();
    assertThat(sql.number("select tasker.write_search_attributes(array[?::uuid])", task.uuid()))
        .isZero();
    sql.run("update tasker.task_search_attributes set value = 'x'");
    sql.run(
        "insert into tasker.task_search_attributes (task_uuid, name, value) values (?, 'colour', 'red')",
        task.uuid());

    assertThat(sql.number("select tasker.write_search_attributes(array[?::uuid])", task.uuid()))
        .isOne();

    assertThat(attributes(task)).containsExactly("order=1");
    assertThat(sql.number("select tasker.write_search_attributes('{}')")).isZero();
    assertThat(sql.number("select tasker.write_search_attributes(null)")).isZero();
  }

  @Test
  void tasks_are_found_by_all_of_the_values_and_by_the_other_filters() {
    Dag.Task first = dag("{\"order_id\": \"A-17\", \"customer\": {\"id\": 7}}").inNamespace("shop")
        .started();
    Dag.Task second = dag("{\"order_id\": \"A-18\", \"customer\": {\"id\": 7}}").inNamespace("shop")
        .started();
    Dag.Task elsewhere = dag("{\"order_id\": \"A-17\"}").inNamespace("other").started();

    assertThat(found("{\"attributes\": {\"order\": \"A-17\"}}"))
        .containsExactly(uuids(elsewhere, first));
    assertThat(found("{\"attributes\": {\"customer\": \"7\"}}"))
        .containsExactly(uuids(second, first));
    assertThat(found("{\"attributes\": {\"customer\": \"7\", \"order\": \"A-18\"}}"))
        .containsExactly(uuids(second));
    assertThat(found("{\"attributes\": {\"customer\": \"8\", \"order\": \"A-18\"}}")).isEmpty();
    assertThat(found("{\"attributes\": {\"order\": \"a-17\"}}")).isEmpty();
    assertThat(found("{\"attributes\": {\"order\": \"A-17\"}, \"namespace\": \"shop\"}"))
        .containsExactly(uuids(first));
    assertThat(found("{\"attributes\": {\"order\": \"A-17\"}, \"namespaces\": [\"other\"]}"))
        .containsExactly(uuids(elsewhere));
    assertThat(found("{\"attributes\": {\"order\": \"A-17\"}, \"state\": \"complete\"}")).isEmpty();
    assertThat(found("{\"attributes\": {\"order\": \"A-17\"}, \"state\": \"steps_in_process\"}"))
        .hasSize(2);
    assertThat(found("{\"attributes\": {}}")).hasSize(3);

    // Whatever the attribute is called.
    assertThat(found("{\"attribute_value\": \"7\"}")).containsExactly(uuids(second, first));
    assertThat(found("{\"attribute_value\": \"A-17\"}")).containsExactly(uuids(elsewhere, first));
    assertThat(found("{\"attribute_value\": \"A-17\", \"namespaces\": [\"other\"]}"))
        .containsExactly(uuids(elsewhere));
    assertThat(found("{\"attribute_value\": \"a-17\"}")).isEmpty();
  }

  @Test
  void a_name_that_no_template_of_the_list_has_is_refused() {
    dag("{\"order_id\": \"A-17\"}").inNamespace("shop").started();
    Dag.of("b").inNamespace("plain").started();

    for (String filter : List.of("{\"attributes\": {\"order\": \"A-17\", \"colour\": \"red\"}}",
        "{\"attributes\": {\"colour\": \"red\"}, \"namespace\": \"shop\"}")) {
      JsonObject reply = sql.object("select tasker.list_tasks(?::jsonb)", filter);
      assertThat(reply.getString("outcome") + " " + reply.getString("field") + ": "
          + reply.getString("message"))
          .isEqualTo(
              "refused attributes: no template that this list covers has the search attribute colour");
    }
    assertThat(
        sql.object(
            "select tasker.list_tasks('{\"attributes\": {\"order\": \"A-17\"}, \"namespaces\": [\"plain\"]}')")
            .getString("message"))
        .endsWith("attribute order");
  }

  @Test
  void pages_of_a_value_have_every_task_once_newest_first() {
    List<Dag.Task> all = dag("{\"order_id\": \"A-17\"}").submitted(7);
    dag("{\"order_id\": \"A-18\"}").submitted(3);
    List<String> seen = new java.util.ArrayList<>();
    String before = null;
    do {
      JsonObject page = sql.object(
          "select tasker.list_tasks('{\"attributes\": {\"order\": \"A-17\"}}', 3, ?::uuid)",
          before);
      page.getJsonArray("tasks").getValuesAs(JsonObject.class)
          .forEach(task -> seen.add(task.getString("task_uuid")));
      before = page.isNull("next") ? null : page.getString("next");
    } while (before != null);

    assertThat(seen).hasSize(7).isSortedAccordingTo(java.util.Comparator.reverseOrder())
        .containsExactlyInAnyOrder(uuids(all.toArray(Dag.Task[]::new)));
  }

  /**
   * Among many tasks neither one with a rare value nor a page of a common one reads more than it
   * shows, even with another attribute beside it.
   */
  @Test
  void a_value_is_looked_up_in_its_index() {
    Dag.Template template = dag("{}").registered();
    sql.object(
        "select tasker.submit_tasks((select jsonb_agg(jsonb_build_object('namespace', ?::text, 'name', ?::text, 'version', ?::text, 'context', "
            + "jsonb_build_object('order_id', n, 'customer', jsonb_build_object('id', 7)))) from generate_series(1, 3000) n), null, 0, 60, false)",
        template.namespace(), template.name(), template.version());
    sql.run("analyze tasker.tasks, tasker.task_search_attributes");

    assertThat(read("{\"attributes\": {\"order\": \"2000\"}}", 25)).isBetween(1L, 100L);
    assertThat(read("{\"attributes\": {\"customer\": \"7\"}}", 5)).isBetween(1L, 100L);
    assertThat(read("{\"attributes\": {\"customer\": \"7\", \"order\": \"2000\"}}", 25))
        .as("the leading one, out of two, after 100 rows of each at most").isBetween(1L, 250L);
  }

  /** Entries of indexes and rows that one list reads of tasks and their attributes. */
  private long read(String filter, int limit) {
    String figures = "select sum(pg_stat_get_tuples_returned(c.oid)) from pg_class c where c.oid in "
        + "('tasker.tasks'::regclass, 'tasker.task_search_attributes'::regclass, 'tasker.task_search_attributes_value_idx'::regclass, "
        + "'tasker.task_search_attributes_pkey'::regclass, 'tasker.tasks_pkey'::regclass)";
    sql.text("select pg_stat_force_next_flush()::text");
    long before = sql.number(figures);
    assertThat(
        sql.object("select tasker.list_tasks(?::jsonb, ?)", filter, limit).getJsonArray("tasks"))
        .isNotEmpty();
    sql.text("select pg_stat_force_next_flush()::text");
    return sql.number(figures) - before;
  }
}
