package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"group_failures", "normalize_error", "get_task_captions"})
class GroupFailuresTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<JsonObject> failures(String filter) {
    return sql.object("select tasker.group_failures(?::jsonb)", filter).getJsonArray("failures")
        .getValuesAs(JsonObject.class);
  }

  private void fail(String namespace, String step, String... messages) {
    Dag.of(step).inNamespace(namespace).identity("always_unique").started(messages.length);
    var claims = worker.forNamespaces(namespace).claim(messages.length);
    for (int i = 0; i < messages.length; i++) {
      worker.complete(claims.get(i).permanentFailure(messages[i]));
    }
  }

  @Test
  void errors_that_differ_in_their_values_are_one_group_and_the_largest_is_first() {
    fail("bank", "charge", "card 4711 of 'ann' was declined", "card 42 of 'ben' was declined",
        "no such account");
    fail("bank", "refund", "card 1 of 'ann' was declined");

    List<JsonObject> groups = failures("{}");

    assertThat(groups)
        .extracting(group -> group.getString("step") + " " + group.getString("signature") + " "
            + group.getInt("tasks"))
        .startsWith("charge card # of # was declined 2")
        .containsExactlyInAnyOrder("charge card # of # was declined 2", "charge no such account 1",
            "refund card # of # was declined 1");
    JsonObject first = groups.get(0);
    assertThat(first.getString("error_type")).isEqualTo("Test");
    assertThat(first.getInt("blocked_tasks")).isEqualTo(2);
    assertThat(first.getString("message")).endsWith("was declined").doesNotContain("#");
    assertThat(first.getString("last_at")).isGreaterThanOrEqualTo(first.getString("first_at"));
    assertThat(sql.text("select state::text from tasker.tasks where task_uuid = ?::uuid",
        first.getString("task_uuid")))
        .isEqualTo("blocked_by_failures");
    assertThat(failures("{\"step\": \"refund\"}")).hasSize(1);
    assertThat(failures("{\"namespace\": \"nowhere\"}")).isEmpty();
  }

  @Test
  void a_group_says_how_many_failed_in_each_part_of_the_period() {
    fail("counted_bank", "charge", "no such account", "no such account");
    sql.run(
        "update tasker.workflow_steps set completed_at = now() - interval '13 hours' where workflow_step_uuid = "
            + "(select s.workflow_step_uuid from tasker.workflow_steps s join tasker.tasks t using (task_uuid) where t.state = 'blocked_by_failures' limit 1)");

    List<Integer> counts = failures("{\"namespace\": \"counted_bank\"}").get(0)
        .getJsonArray("counts").getValuesAs(jakarta.json.JsonNumber.class).stream()
        .map(jakarta.json.JsonNumber::intValue).toList();

    assertThat(counts).hasSize(24).endsWith(1);
    assertThat(counts.indexOf(1)).isBetween(10, 11);
    assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(2);
  }

  @Test
  void a_task_that_was_compensated_says_what_failed_and_is_found_by_it() {
    Dag.of("charge").compensatedBy("refund", 2).step("tell").dependsOn("charge").maxAttempts(1)
        .inNamespace("undone_bank").lifecycle("on_failure", "compensate").started();
    SqlWorker here = worker.forNamespaces("undone_bank");
    here.complete(here.claimOne().success());
    here.complete(here.claimOne().permanentFailure("the door stays closed"));
    String task = sql.text("select task_uuid::text from tasker.tasks");
    String filter = "{\"failed_step\": \"tell\", \"error_signature\": \"the door stays closed\"}";
    for (String state : List.of("steps_in_process", "error")) {
      assertThat(sql.text("select state::text from tasker.tasks")).isEqualTo(state);

      assertThat(sql.object("select tasker.get_task_captions(array[?::uuid])", task)
          .getJsonObject(task).getJsonObject("failure").getString("step")).isEqualTo("tell");
      assertThat(
          sql.texts("select unnest(r_tasks)::text from tasker.find_tasks(?::jsonb, 10)", filter))
          .containsExactly(task);
      if (state.equals("steps_in_process")) {
        assertThat(sql.texts(
            "select unnest(tasker.find_tasks_for_action('cancel', ?::jsonb, 10))::text",
            filter)).containsExactly(task);
        here.complete(here.claimOne().success());
      }
    }
  }

  /** The attribute is written by hand. */
  @Test
  @DatabaseTest.BreaksPromises
  void a_list_says_which_step_of_a_task_failed_first_and_what_finds_the_task() {
    fail("bank", "charge", "card 4711 was declined " + "x".repeat(400));
    String task = sql.text("select task_uuid::text from tasker.tasks");
    sql.run(
        "insert into tasker.task_search_attributes select task_uuid, 'order', 'A-17' from tasker.tasks");
    Dag.of("waits").inNamespace("bank").identity("always_unique").started(1);

    JsonObject captions = sql.object(
        "select tasker.get_task_captions(array(select task_uuid from tasker.tasks) || gen_random_uuid())");

    assertThat(captions).hasSize(2);
    JsonObject failed = captions.getJsonObject(task);
    assertThat(failed.getJsonObject("failure").getString("step")).isEqualTo("charge");
    assertThat(failed.getJsonObject("failure").getString("error_type")).isEqualTo("Test");
    assertThat(failed.getJsonObject("failure").getString("message"))
        .startsWith("card 4711 was declined").hasSize(300);
    assertThat(failed.getJsonObject("failure").getInt("attempts")).isEqualTo(1);
    assertThat(failed.getJsonObject("attributes").getString("order")).isEqualTo("A-17");
    JsonObject waits = captions.entrySet().stream().filter(entry -> !entry.getKey().equals(task))
        .findFirst().orElseThrow().getValue().asJsonObject();
    assertThat(waits.isNull("failure")).isTrue();
    assertThat(waits.isNull("attributes")).isTrue();
    assertThat(sql.object("select tasker.get_task_captions('{}')")).isEmpty();
  }

  @Test
  void what_was_mended_or_is_older_is_left_out() {
    fail("bank", "charge", "declined", "declined");
    String mended = sql.text("select min(task_uuid::text) from tasker.tasks");
    sql.text("select tasker.act_on_task(?::uuid, 'resolve', 'ann', 'paid in cash')", mended);

    assertThat(failures("{}")).extracting(group -> group.getInt("tasks")).containsExactly(1);
    assertThat(failures("{}").get(0).getString("task_uuid")).isNotEqualTo(mended);
    sql.text("select tasker.act_on_task(?::uuid, 'fail', 'ann', 'hopeless')",
        failures("{}").get(0).getString("task_uuid"));
    assertThat(failures("{}"))
        .extracting(group -> group.getInt("tasks") + " " + group.getInt("blocked_tasks"))
        .containsExactly("1 0");
    assertThat(sql.object("select tasker.group_failures('{}', 0)").getJsonArray("failures"))
        .isEmpty();
  }

  @Test
  void only_in_the_namespaces_of_the_caller() {
    fail("bank", "charge", "declined");
    fail("shop", "ship", "lost");

    assertThat(failures("{\"namespaces\": [\"shop\"]}"))
        .extracting(group -> group.getString("step")).containsExactly("ship");
    assertThat(failures("{\"namespaces\": [\"shop\"], \"namespace\": \"bank\"}")).isEmpty();
    assertThat(failures("{\"namespaces\": []}")).isEmpty();
  }

  @Test
  void more_tasks_than_are_looked_at_are_told() {
    fail("bank", "charge", "a", "b", "c");

    JsonObject bounded = sql.object("select tasker.group_failures('{}', 24, 50, 2)");
    assertThat(bounded.getInt("counted_tasks")).isEqualTo(2);
    assertThat(bounded.getBoolean("more")).isTrue();
    assertThat(bounded.getJsonArray("failures")).hasSize(2);
    JsonObject all = sql.object("select tasker.group_failures('{}', 24, 2, 3)");
    assertThat(all.getBoolean("more")).isFalse();
    assertThat(all.getJsonArray("failures")).as("a limit of groups").hasSize(2);
  }

  @Test
  void identifiers_numbers_and_quoted_values_do_not_tell_errors_apart() {
    Map<String, String> signatures = Map.of("order 4711 failed", "order # failed",
        "no task 01a1fc6e-c2c5-70dd-8baf-9fc43ba29188", "no task #", "at 0x7ffe12ab in \n main",
        "at # in main",
        "\"ann\" said 'no'", "# said #", "timeout", "timeout", "x".repeat(3000), "x".repeat(200));
    signatures.forEach(
        (message, signature) -> assertThat(sql.text("select tasker.normalize_error(?)", message))
            .isEqualTo(signature));
    assertThat(sql.text("select tasker.normalize_error(null)")).isNull();
  }
}
