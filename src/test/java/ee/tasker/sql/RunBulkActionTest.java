package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"preview_bulk_action", "find_tasks_for_action", "hash_tasks",
  "get_bulk_action", "try_lock_tasks", "act_on_task_of_bulk"})
class RunBulkActionTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<Dag.Task> blocked(String namespace, int count) {
    List<Dag.Task> tasks = Dag.of("a").inNamespace(namespace).started(count);
    worker.complete(0, worker.forNamespaces(namespace).claim(count).stream()
        .map(Claim::permanentFailure).toList());
    return tasks;
  }

  private JsonObject preview(String action, String filter) {
    return sql.object("select tasker.preview_bulk_action(?, ?, 'ann', 'spring cleaning')", action,
        filter);
  }

  private JsonObject run(JsonObject preview) {
    return sql.object("select tasker.run_bulk_action(?::uuid)", preview.getString("token"));
  }

  @Test
  void what_was_counted_is_done_to_all_of_it_and_to_nothing_else() {
    List<Dag.Task> tasks = blocked("bulk", 3);
    List<Dag.Task> others = blocked("other", 2);
    JsonObject counted = preview("retry",
        "{\"namespace\": \"bulk\", \"dlq_reason\": \"permanent_failure\", \"failed_step\": \"a\"}");
    assertThat(counted.getInt("count")).isEqualTo(3);
    assertThat(counted.getJsonArray("sample")).hasSize(3);
    assertThatTask(tasks.get(0)).isIn("blocked_by_failures");
    JsonObject done = run(counted);
    assertThat(done.getJsonObject("results").getInt("done")).isEqualTo(3);
    assertThat(done.getJsonArray("queued").toString()).isEqualTo("[\"bulk\"]");
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("steps_in_process"));
    assertThat(others).allSatisfy(task -> assertThatTask(task).isIn("blocked_by_failures"));
    assertThat(sql.number(
        "select count(*) from tasker.operator_actions where bulk_token = ?::uuid and acted_by = 'ann'",
        counted.getString("token"))).isEqualTo(3);
  }

  @Test
  void a_token_works_once_and_then_tells_what_it_did() {
    List<Dag.Task> tasks = blocked("bulk", 2);
    JsonObject counted = preview("fail", "{\"namespace\": \"bulk\"}");
    run(counted);
    JsonObject again = run(counted);
    assertThat(again.getString("outcome")).isEqualTo("already");
    assertThat(again.getJsonObject("results").getInt("done")).isEqualTo(2);
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("error"));
    run(preview("resolve", "{\"state\": \"error\"}"));
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("resolved_manually"));
  }

  @Test
  void each_task_to_which_nothing_was_done_is_named_with_the_reason() {
    Dag dag = Dag.of("a").inNamespace("bulk").identity("strict").reuse("after_failure");
    Dag.Task replaced = dag.started();
    worker.complete(worker.forNamespaces("bulk").claimOne().permanentFailure());
    sql.text("select tasker.act_on_task(?, 'fail', 'ann', 'hopeless')", replaced.uuid());
    Dag.Task present = dag.started();
    worker.complete(worker.claimOne().permanentFailure());
    // The dead letters of both make them candidates.
    JsonObject counted = preview("retry", "{\"namespace\": \"bulk\"}");
    JsonObject done = run(counted);

    assertThat(counted.getInt("count")).isEqualTo(2);
    assertThat(done.getJsonObject("results").getInt("done")).isEqualTo(1);
    assertThat(done.getJsonArray("refusals").getValuesAs(JsonObject.class)).singleElement()
        .satisfies(refusal -> {
          assertThat(refusal.getString("task_uuid")).isEqualTo(replaced.uuid().toString());
          assertThat(refusal.getString("code")).isEqualTo("task-already-replaced");
          assertThat(refusal.getString("message")).isNotBlank();
        });
    assertThatTask(present).isIn("steps_in_process");
    assertThat(run(counted).getJsonArray("refusals")).hasSize(1);
  }

  @Test
  void a_set_that_has_changed_is_refused_whole() {
    List<Dag.Task> tasks = blocked("bulk", 2);
    JsonObject counted = preview("resolve", "{\"namespace\": \"bulk\"}");
    blocked("bulk", 1);
    assertThat(run(counted).getString("code")).isEqualTo("set-has-changed");
    counted = preview("resolve", "{\"namespace\": \"bulk\"}");
    sql.text("select tasker.act_on_task(?, 'retry', 'bob', 'mine')", tasks.get(0).uuid());
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(run(counted).getString("code")).as("the same tasks, but one has been around")
        .isEqualTo("set-has-changed");
    assertThatTask(tasks.get(1)).isIn("blocked_by_failures");
    assertThat(run(preview("resolve", "{\"namespace\": \"bulk\"}")).getJsonObject("results")
        .getInt("done")).isEqualTo(3);
  }

  @Test
  void a_token_runs_out() {
    blocked("bulk", 1);
    JsonObject counted = preview("resolve", "{\"namespace\": \"bulk\"}");
    assertThat(
        sql.text("select tasker.run_bulk_action(?::uuid, null, ?) ->> 'code'",
            counted.getString("token"), Instant.now().plusSeconds(601)))
        .isEqualTo("token-expired");
  }

  @Test
  void running_tasks_are_cancelled_together() {
    List<Dag.Task> tasks = Dag.of("a").inNamespace("bulk").priority(3).started(3);
    Dag.Task done = Dag.of("a").inNamespace("bulk").started();
    worker.forNamespaces("bulk").claim(4).stream().filter(c -> c.task().equals(done.uuid()))
        .forEach(c -> worker.complete(c.success()));
    assertThat(run(
        preview("cancel", "{\"namespace\": \"bulk\", \"created_after\": \"2020-01-01T00:00:00Z\"}"))
        .getInt("count"))
        .isEqualTo(3);
    assertThat(sql.number("select count(*) from tasker.tasks where cancel_requested_by = 'ann'"))
        .isEqualTo(3);
    assertThat(tasks).hasSize(3);
  }

  @Test
  void a_task_that_another_transaction_holds_is_named_and_the_others_are_acted_on() {
    List<Dag.Task> tasks = blocked("bulk", 3);
    JsonObject counted = preview("retry", "{\"namespace\": \"bulk\"}");
    try (Sql other = Sql.session()) {
      other.text("select task_uuid::text from tasker.tasks where task_uuid = ? for update",
          tasks.get(1).uuid());

      JsonObject done = run(counted);

      assertThat(done.getString("outcome")).isEqualTo("done");
      assertThat(done.getJsonObject("results").getInt("done")).isEqualTo(2);
      assertThat(done.getJsonArray("refusals").getValuesAs(JsonObject.class)).singleElement()
          .satisfies(refusal -> {
            assertThat(refusal.getString("task_uuid")).isEqualTo(tasks.get(1).uuid().toString());
            assertThat(refusal.getString("code")).isEqualTo("task-locked");
          });
      other.rollback();
    }
    assertThatTask(tasks.get(0)).isIn("steps_in_process");
    assertThatTask(tasks.get(1)).isIn("blocked_by_failures");
    assertThatTask(tasks.get(2)).isIn("steps_in_process");
  }

  @Test
  void a_filter_has_a_length() {
    assertThatDatabaseRefuses("TK007",
        () -> preview("retry", "{\"initiator\": \"" + "x".repeat(70_000) + "\"}"))
        .hasMessageContaining("65536 bytes");
  }

  @Test
  void more_than_the_limit_gets_no_token() {
    blocked("bulk", 3);
    JsonObject counted = sql.object(
        "select tasker.preview_bulk_action('retry', '{\"namespace\": \"bulk\"}', 'ann', 'why', 2)");
    assertThat(counted.containsKey("token")).isFalse();
    assertThat(counted.getInt("limit")).isEqualTo(2);
  }

  @Test
  void a_filter_says_something_and_only_what_is_known() {
    assertThatDatabaseRefuses("TK007", () -> preview("retry", "{}"));
    assertThatDatabaseRefuses("TK007", () -> preview("retry", "{\"nmespace\": \"bulk\"}"))
        .hasMessageContaining("nmespace");
    assertThatDatabaseRefuses("TK007",
        () -> preview("retry_from_step", "{\"namespace\": \"bulk\"}"));
    assertThat(preview("retry", "{\"namespace\": \"empty_one\"}").getInt("count")).isZero();
  }

  @Test
  void a_filter_of_null_never_means_all_tasks() {
    List<Dag.Task> tasks = blocked("bulk", 2);
    long tokens = sql.number("select count(*) from tasker.bulk_actions");

    for (String filter : new String[]{null, "null", "[\"namespace\"]", "{\"namespace\": null}",
      "{\"namespace\": \"bulk\", \"failed_step\": null}"}) {
      assertThatDatabaseRefuses("TK007", () -> preview("resolve", filter))
          .hasMessageContaining("filter");
    }
    for (String limit : List.of("null", "0", "2147483647")) {
      assertThatDatabaseRefuses("TK007",
          () -> sql.text(
              "select tasker.preview_bulk_action('resolve', '{\"namespace\": \"bulk\"}', 'ann', 'why', "
                  + limit + ")"))
          .hasMessageContaining("limit");
    }
    assertThatDatabaseRefuses("TK007",
        () -> sql.text(
            "select tasker.preview_bulk_action('resolve', '{\"namespace\": \"bulk\"}', 'ann', 'why', p_valid_for => null)"))
        .hasMessageContaining("valid_for");
    assertThat(sql.number("select count(*) from tasker.bulk_actions")).isEqualTo(tokens);
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("blocked_by_failures"));
  }

  @Test
  void the_dead_letters_of_a_group_are_closed_and_its_tasks_and_others_stay_as_they_are() {
    List<Dag.Task> tasks = blocked("closing", 3);
    blocked("open", 1);
    String open = "select count(*) from tasker.tasks_dlq d join tasker.v_dlq_investigation_queue q using (dlq_entry_uuid) "
        + "where q.namespace_name = ?";
    assertThat(sql.number(open, "closing")).isEqualTo(3);
    String counted = "select tasker.preview_bulk_action('close_dead_letters', "
        + "'{\"namespace\": \"closing\", \"failed_step\": \"a\"}', 'ann', 'known', p_resolution => 'permanently_failed')";
    JsonObject preview = sql.object(counted);
    assertThat(preview.getInt("count")).isEqualTo(3);
    assertThat(sql.number(open, "closing")).as("a dry run closes nothing").isEqualTo(3);

    JsonObject done = run(preview);

    assertThat(done.getJsonObject("results").getInt("done")).isEqualTo(3);
    assertThat(sql.number(open, "closing")).isZero();
    assertThat(sql.number(open, "open")).isEqualTo(1);
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("blocked_by_failures"));
    assertThat(sql.number(
        "select count(*) from tasker.operator_actions o join tasker.tasks_dlq d using (dlq_entry_uuid) "
            + "where o.bulk_token = ?::uuid and d.resolution_status = 'permanently_failed' and d.resolution_notes = 'known'",
        preview.getString("token"))).isEqualTo(3);
    assertThat(sql.object(counted).getInt("count")).isZero();
  }

  @Test
  void only_what_closes_dead_letters_has_a_resolution() {
    for (String call : List.of("'close_dead_letters', '{\"namespace\": \"bulk\"}', 'ann', 'why'",
        "'close_dead_letters', '{\"namespace\": \"bulk\"}', 'ann', 'why', p_resolution => 'pending'",
        "'retry', '{\"namespace\": \"bulk\"}', 'ann', 'why', p_resolution => 'cancelled'")) {
      assertThatDatabaseRefuses("TK007",
          () -> sql.text("select tasker.preview_bulk_action(" + call + ")"))
          .hasMessageContaining("resolution");
    }
  }

  @Test
  void only_the_caller_that_made_a_token_can_read_what_it_allows() {
    String token = sql
        .object(
            "select tasker.preview_bulk_action('cancel', '{\"namespace\": \"bulk\"}', 'ann', 'a test', p_made_by => 'key:1')")
        .getString("token");
    String everywhere = sql
        .object(
            "select tasker.preview_bulk_action('retry', '{\"state\": \"error\"}', 'ann', 'a test', p_made_by => 'key:1')")
        .getString("token");

    assertThat(sql.text("select tasker.get_bulk_action(?::uuid, 'key:1')", token))
        .isEqualTo("{\"action\": \"cancel\", \"namespace\": \"bulk\"}");
    assertThat(sql.text("select tasker.get_bulk_action(?::uuid, 'key:1')", everywhere))
        .isEqualTo("{\"action\": \"retry\", \"namespace\": null}");
    assertThat(sql.text("select tasker.get_bulk_action(?::uuid, 'key:2')", token)).isNull();
    assertThat(sql.text("select tasker.get_bulk_action(gen_random_uuid(), 'key:1')")).isNull();
  }

  @Test
  void a_token_of_one_caller_is_to_another_as_one_that_is_not_there() {
    String token = sql
        .object(
            "select tasker.preview_bulk_action('fail', '{\"state\": \"blocked_by_failures\"}', 'ann', 'a test', p_made_by => 'key:1')")
        .getString("token");

    assertThat(
        sql.text("select tasker.run_bulk_action(?::uuid, p_run_by => 'key:2') ->> 'code'", token))
        .isEqualTo("token-not-found");
    assertThat(sql.text("select executed_at from tasker.bulk_actions where token = ?::uuid", token))
        .isNull();
    assertThat(sql.object("select tasker.run_bulk_action(?::uuid, p_run_by => 'key:1')", token)
        .getString("outcome")).isEqualTo("done");
    assertThat(
        sql.text("select tasker.run_bulk_action(?::uuid, p_run_by => 'key:2') ->> 'code'", token))
        .as("nor is it told what came of it").isEqualTo("token-not-found");
    String ofSql = sql.object(
        "select tasker.preview_bulk_action('fail', '{\"state\": \"blocked_by_failures\"}', 'ann', 'a test')")
        .getString("token");
    assertThat(
        sql.text("select tasker.run_bulk_action(?::uuid, p_run_by => 'key:2') ->> 'code'", ofSql))
        .isEqualTo("token-not-found");
    assertThat(sql.object("select tasker.run_bulk_action(?::uuid)", ofSql).getString("outcome"))
        .isEqualTo("done");
  }
}
