package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"diagnose_task", "get_task_documents", "get_task_summaries", "find_tasks",
  "count_tasks", "refuse_search_attribute",
  "has_failed_step"})
class ListTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<String> found(String filter, Object... arguments) {
    return sql.texts("select t ->> 'task_uuid' from json_array_elements(tasker.list_tasks(" + filter
        + ", 100) -> 'tasks') t", arguments);
  }

  private static String[] uuids(Dag.Task... tasks) {
    return java.util.Arrays.stream(tasks).map(task -> task.uuid().toString())
        .toArray(String[]::new);
  }

  @Test
  void several_states_are_one_filter() {
    Dag.Task complete = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task failed = Dag.of("b").started();
    worker.complete(worker.claimOne().permanentFailure());
    Dag.Task running = Dag.of("c").started();

    assertThat(found("'{\"state\": \"complete,blocked_by_failures\"}'"))
        .containsExactlyInAnyOrder(uuids(complete, failed));
    assertThat(found("'{\"state\": \"steps_in_process,blocked_by_failures\"}'"))
        .containsExactlyInAnyOrder(uuids(running, failed));
    assertThat(found("'{\"state\": \"steps_in_process\"}'")).containsExactly(uuids(running));
    assertThat(found("'{\"state\": \"cancelled,error\"}'")).isEmpty();
  }

  @Test
  void tag_is_one_of_those_of_the_task() {
    UUID tagged = sql.uuid(
        "select tasker.submit_task('orders', ?, '1', '{}', '{\"tags\": [\"red\", \"blue\"]}')",
        Dag.of("a").identity("always_unique").registered().name());
    sql.uuid("select tasker.submit_task('orders', ?, '1', '{}', '{\"tags\": [\"reddish\"]}')",
        Dag.of("a").identity("always_unique").registered().name());

    assertThat(found("'{\"tag\": \"red\"}'")).containsExactly(tagged.toString());
    assertThat(found("'{\"tag\": \"green\"}'")).isEmpty();
  }

  @Test
  void time_ranges_include_their_beginning_and_not_their_end() {
    Dag.Task first = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task second = Dag.of("b").started();
    String at = "jsonb_build_object(?::text, (select %s from tasker.tasks where task_uuid = ?))";

    for (String column : List.of("created_at", "completed_at")) {
      String kind = column.substring(0, column.length() - 3);
      assertThat(found(at.formatted(column), kind + "_after", first.uuid())).contains(uuids(first));
      assertThat(found(at.formatted(column), kind + "_before", first.uuid()))
          .doesNotContain(uuids(first));
      assertThat(found(at.formatted(column + " + interval '1 microsecond'"), kind + "_before",
          first.uuid())).contains(uuids(first));
      assertThat(found(at.formatted(column + " + interval '1 microsecond'"), kind + "_after",
          first.uuid())).doesNotContain(uuids(first));
    }
    assertThat(
        found(at.formatted("completed_at - interval '1 hour'"), "completed_after", first.uuid()))
        .as("what has not ended")
        .doesNotContain(uuids(second));
    assertThat(found(
        "'{\"created_after\": \"0001-01-01T00:00:00Z\", \"created_before\": \"9999-12-31T23:59:59Z\"}'"))
        .hasSize(2);
    assertThat(found("'{\"created_before\": \"2001-01-01T00:00:00Z\"}'")).isEmpty();
  }

  @Test
  void updated_is_when_the_state_last_changed() {
    Dag.Task ended = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task moving = Dag.linear(2).started();
    String moved = sql.text(
        "select to_jsonb(max(created_at)) #>> '{}' from tasker.task_transitions where task_uuid = ?",
        moving.uuid());

    assertThat(found("jsonb_build_object('updated_after', ?::text)", moved))
        .containsExactly(uuids(moving));
    assertThat(found("jsonb_build_object('updated_before', ?::text)", moved))
        .containsExactly(uuids(ended));
    assertThat(found(
        "jsonb_build_object('updated_after', (select completed_at from tasker.tasks where task_uuid = ?))",
        ended.uuid()))
        .contains(uuids(ended));
  }

  /** Otherwise a day among years of tasks would read all of them. */
  @Test
  void range_of_creation_reads_only_its_part_of_the_index() {
    Dag.of("a").identity("always_unique").submitted(2000);
    // What the submission read is counted before, and not when it happens to be told.
    sql.text("select pg_stat_force_next_flush()::text");
    long before = sql
        .number("select idx_tup_read from pg_stat_user_indexes where indexrelname = 'tasks_pkey'");

    assertThat(found("jsonb_build_object('created_before', clock_timestamp() - interval '1 hour')"))
        .isEmpty();
    assertThat(found("jsonb_build_object('created_after', clock_timestamp() + interval '1 hour')"))
        .isEmpty();

    sql.text("select pg_stat_force_next_flush()::text");
    assertThat(sql.number(
        "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'tasks_pkey'") - before)
        .isLessThan(200);
  }

  @Test
  void states_and_templates_are_excluded_too() {
    Dag.Task complete = Dag.of("a").started();
    worker.complete(worker.claimOne().success());
    Dag.Task running = Dag.of("b").started();

    assertThat(found("'{\"state_not\": \"complete\"}'")).containsExactly(uuids(running));
    assertThat(found("'{\"state_not\": \"complete,error,cancelled,resolved_manually\"}'"))
        .containsExactly(uuids(running));
    assertThat(
        found("'{\"state\": \"complete,steps_in_process\", \"state_not\": \"steps_in_process\"}'"))
        .containsExactly(uuids(complete));
    assertThat(found("'{\"state\": \"complete\", \"state_not\": \"complete\"}'")).isEmpty();
    assertThat(found("jsonb_build_object('name_not', ?::text)", complete.template().name()))
        .containsExactly(uuids(running));
    assertThat(found("jsonb_build_object('name_prefix', ?::text)", complete.template().name()))
        .containsExactly(uuids(complete));
    assertThat(found("'{\"name_prefix\": \"%\"}'")).as("no pattern").isEmpty();
  }

  @Test
  void tasks_are_found_by_their_key_and_by_the_error_of_one_failed_step() {
    Iterator<String> messages = List
        .of("no answer of order 17 in 30 s", "no answer of order 4711 in 61 s",
            "amount is negative")
        .iterator();
    List<Dag.Task> tasks = Dag.of("a").identity("always_unique").started(3);
    for (SqlWorker.Claim claim : worker.claim(3)) {
      worker.complete(claim.permanentFailure(messages.next()));
    }
    String type = sql
        .text("select distinct error ->> 'type' from tasker.workflow_step_result_audit");
    Dag.Task wrong = tasks.stream()
        .filter(task -> "amount is negative".equals(sql.text("select a.error ->> 'message' from "
            + "tasker.workflow_step_result_audit a join tasker.workflow_steps s using (workflow_step_uuid) where s.task_uuid = ?",
            task.uuid())))
        .findFirst().orElseThrow();
    Dag.Task running = Dag.of("b").started();
    String[] failed = uuids(tasks.toArray(Dag.Task[]::new));

    assertThat(
        found("jsonb_build_object('task_uuid', ?::text)", wrong.uuid() + "," + running.uuid()))
        .containsExactlyInAnyOrder(uuids(wrong, running));
    assertThat(found("'{\"failed_step\": \"a\"}'")).containsExactlyInAnyOrder(failed);
    assertThat(found("'{\"failed_step\": \"b\"}'")).isEmpty();
    assertThat(found("jsonb_build_object('error_type', ?::text)", type))
        .containsExactlyInAnyOrder(failed);
    assertThat(found("'{\"error_type\": \"other\", \"error_signature\": \"amount is negative\"}'"))
        .as("of one step").isEmpty();
    assertThat(found("'{\"error_signature\": \"amount is negative\"}'"))
        .containsExactly(uuids(wrong));
    // As the console does it: each group leads to its tasks.
    List<JsonObject> groups = sql.object("select tasker.group_failures()").getJsonArray("failures")
        .getValuesAs(JsonObject.class);
    assertThat(groups).extracting(group -> group.getInt("tasks")).containsExactly(2, 1);
    for (JsonObject group : groups) {
      List<String> found = found(
          "jsonb_build_object('failed_step', ?::text, 'error_type', ?::text, 'error_signature', ?::text)",
          group.getString("step"), group.getString("error_type"), group.getString("signature"));
      assertThat(found).hasSize(group.getInt("tasks")).contains(group.getString("task_uuid"));
      assertThat(sql.object(
          "select tasker.preview_bulk_action('retry', jsonb_build_object('failed_step', ?::text, 'error_type', ?::text, "
              + "'error_signature', ?::text), 'ann', 'it is back')",
          group.getString("step"), group.getString("error_type"), group.getString("signature"))
          .getInt("count")).isEqualTo(group.getInt("tasks"));
    }
  }

  @Test
  void roots_have_no_parent() {
    Dag.Task parent = Dag.of("a").started();
    UUID child = sql.uuid(
        "select tasker.submit_task('orders', ?, '1', '{}', jsonb_build_object('parent_task_uuid', ?::uuid))",
        Dag.of("b").identity("always_unique").registered().name(), parent.uuid());

    assertThat(found("'{\"roots\": \"true\"}'")).containsExactly(uuids(parent));
    assertThat(found("'{\"roots\": \"false\"}'")).containsExactly(child.toString());
  }

  @Test
  void the_oldest_come_first_when_they_are_asked_for_page_by_page() {
    List<Dag.Task> tasks = Dag.of("a").identity("always_unique").submitted(7);
    List<String> newest = found("'{}'");
    List<String> oldest = new java.util.ArrayList<>(newest);
    java.util.Collections.reverse(oldest);
    assertThat(newest).hasSameSizeAs(tasks)
        .isSortedAccordingTo(java.util.Comparator.reverseOrder());

    for (List<String> all : List.of(newest, oldest)) {
      List<String> seen = new java.util.ArrayList<>();
      String cursor = null;
      do {
        JsonObject page = sql.object(
            "select tasker.list_tasks(jsonb_build_object('order', ?::text), 3, ?::uuid)",
            all == newest ? "newest" : "oldest", cursor);
        page.getJsonArray("tasks").getValuesAs(JsonObject.class)
            .forEach(task -> seen.add(task.getString("task_uuid")));
        cursor = page.getString("next", null);
      } while (cursor != null);
      assertThat(seen).isEqualTo(all);
    }
  }

  /** Either order is that of the key: a sort would read every task. */
  @Test
  void a_page_of_either_order_reads_only_its_part_of_the_index() {
    Dag.of("a").identity("always_unique").submitted(2000);
    sql.text("select pg_stat_force_next_flush()::text");
    for (String order : List.of("newest", "oldest")) {
      String figure = "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'tasks_pkey'";
      long before = sql.number(figure);
      assertThat(sql.array(
          "select to_jsonb((tasker.find_tasks(jsonb_build_object('order', ?::text), 10)).r_tasks)",
          order)).hasSize(10);
      sql.text("select pg_stat_force_next_flush()::text");
      assertThat(sql.number(figure) - before).as(order).isLessThan(100);
    }
  }

  @Test
  void a_count_is_by_state_and_has_a_bound() {
    Dag.of("a").identity("always_unique").submitted(30);
    Dag.of("b").started();
    worker.complete(worker.claimOne().success());

    JsonObject all = sql.object("select tasker.count_tasks()");
    assertThat(all.getInt("count")).isEqualTo(31);
    assertThat(all.getBoolean("more")).isFalse();
    assertThat(all.isNull("counted_since")).isTrue();
    assertThat(all.getJsonObject("by_state").getInt("complete")).isEqualTo(1);
    assertThat(all.getJsonObject("by_state").getInt("pending")).isEqualTo(30);
    JsonObject bounded = sql.object("select tasker.count_tasks('{}', 20)");
    assertThat(bounded.getInt("count")).isEqualTo(20);
    assertThat(bounded.getBoolean("more")).isTrue();
  }

  @Test
  void a_count_without_an_index_looks_at_the_newest_only_and_says_so() {
    Dag.Task old = Dag.of("b").started();
    worker.complete(worker.claimOne().success());
    Dag.of("a").identity("always_unique").submitted(30);

    JsonObject newest = sql
        .object("select tasker.count_tasks('{\"state\": \"complete\"}', 100, 10)");
    assertThat(newest.getInt("count")).isZero();
    assertThat(newest.getString("counted_since")).isNotBlank();
    JsonObject all = sql.object("select tasker.count_tasks('{\"state\": \"complete\"}', 100, 31)");
    assertThat(all.getInt("count")).isEqualTo(1);
    JsonObject unfinished = sql
        .object(
            "select tasker.count_tasks('{\"state_not\": \"complete,error,cancelled,resolved_manually\"}', 100, 10)");
    assertThat(unfinished.getInt("count")).as("found by their wake-ups").isEqualTo(30);
    assertThat(unfinished.isNull("counted_since")).isTrue();
    assertThat(sql
        .object("select tasker.count_tasks(jsonb_build_object('correlation_id', ?::text), 100, 10)",
            old.uuid().toString())
        .getInt("count"))
        .isEqualTo(1);
    assertThat(sql.object("select tasker.count_tasks('{\"attributes\": {\"unknown\": \"1\"}}')")
        .getString("code"))
        .isEqualTo("invalid-request");
  }

  @Test
  void task_says_in_a_sentence_why_it_waits_or_is_blocked() {
    Dag.Task task = Dag.linear(3).started();
    assertThat(explanation(task)).startsWith("Step s1 has been offered since ")
        .contains("no live worker serves namespace orders")
        .endsWith("; 2 other steps are not done.");
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(explanation(task)).isEqualTo(
        "Step s2 failed permanently at attempt 1; an operator has to act; 1 other step is not done.");

    Dag.Task done = Dag.of("x").started();
    worker.complete(worker.claimOne().success());
    assertThat(explanation(done)).isNull();
    JsonObject document = sql.array("select tasker.get_task_documents(array[?::uuid])", task.uuid())
        .getJsonObject(0);
    assertThat(document.getString("explanation")).isEqualTo(explanation(task));
    assertThat(sql.array("select tasker.get_task_documents(array[?::uuid])", done.uuid())
        .getJsonObject(0).isNull("explanation")).isTrue();
    assertThat(sql.text("select tasker.diagnose_task(gen_random_uuid())")).isNull();
  }

  private String explanation(Dag.Task task) {
    return sql.text("select tasker.diagnose_task(?)", task.uuid());
  }
}
