package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"advance_bulk_actions", "act_on_tasks_of_bulk", "get_bulk_action_result",
  "get_bulk_action_document",
  "list_bulk_actions",
  "list_bulk_action_tasks", "cancel_bulk_action", "may_still_act"})
class AdvanceBulkActionsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<Dag.Task> blocked(String namespace, int count) {
    List<Dag.Task> tasks = Dag.of("a").inNamespace(namespace).started(count);
    worker.complete(0, worker.forNamespaces(namespace).claim(count).stream()
        .map(Claim::permanentFailure).toList());
    return tasks;
  }

  /** With more tasks than one transaction may have. */
  private UUID counted(String action, String namespace) {
    JsonObject preview = sql.object(
        "select tasker.preview_bulk_action(?, jsonb_build_object('namespace', ?::text), 'ann', 'spring cleaning', p_at_once => 2)",
        action, namespace);
    assertThat(preview.getBoolean("background")).isTrue();
    return UUID.fromString(preview.getString("token"));
  }

  private UUID started(String action, String namespace) {
    UUID token = counted(action, namespace);
    assertThat(sql.object("select tasker.run_bulk_action(?)", token).getString("outcome"))
        .isEqualTo("started");
    return token;
  }

  private int advance(int limit) {
    return sql.object("select tasker.advance_bulk_actions(null, ?)", limit).getInt("tasks");
  }

  private JsonObject document(UUID token) {
    return sql.object("select tasker.get_bulk_action_document(?)", token);
  }

  private String results(UUID token) {
    JsonObject results = document(token).getJsonObject("results");
    return results.getInt("done") + " " + results.getInt("already") + " "
        + results.getInt("refused");
  }

  private List<String> verdicts(UUID token) {
    return sql.texts(
        "select outcome || coalesce(' ' || code, '') from tasker.bulk_action_tasks where token = ? order by task_uuid",
        token);
  }

  @Test
  void a_dry_run_tells_how_many_in_which_states_and_shows_some() {
    blocked("bulk", 25);
    JsonObject preview = sql.object(
        "select tasker.preview_bulk_action('cancel', '{\"namespace\": \"bulk\"}', 'ann', 'why')");
    assertThat(preview.getInt("count")).isEqualTo(25);
    assertThat(preview.getBoolean("background")).as("few enough for one transaction").isFalse();
    assertThat(preview.getJsonObject("by_state").toString())
        .isEqualTo("{\"blocked_by_failures\":25}");
    assertThat(preview.getJsonArray("sample")).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void parts_go_on_where_the_last_one_ended_and_each_task_has_its_verdict() {
    List<Dag.Task> tasks = blocked("bulk", 7);
    UUID token = started("resolve", "bulk");
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("blocked_by_failures"));
    assertThat(document(token).getString("state")).isEqualTo("running");

    assertThat(advance(3)).isEqualTo(3);
    assertThat(results(token)).isEqualTo("3 0 0");
    assertThat(document(token).getInt("rest")).isEqualTo(4);
    assertThat(advance(3)).isEqualTo(3);
    assertThat(advance(3)).isEqualTo(1);
    assertThat(advance(3)).isZero();

    assertThat(document(token).getString("state")).isEqualTo("done");
    assertThat(document(token).isNull("finished_at")).isFalse();
    assertThat(tasks).allSatisfy(task -> assertThatTask(task).isIn("resolved_manually"));
    assertThat(verdicts(token)).hasSize(7).containsOnly("done");
    assertThat(
        sql.number("select count(*) from tasker.operator_actions where bulk_token = ?", token))
        .isEqualTo(7);
    JsonObject again = sql.object("select tasker.run_bulk_action(?)", token);
    assertThat(again.getString("outcome")).isEqualTo("already");
    assertThat(again.getJsonObject("results").getInt("done")).isEqualTo(7);
  }

  @Test
  void only_what_was_counted_and_still_fits_is_acted_on() {
    List<Dag.Task> tasks = blocked("bulk", 4);
    UUID token = started("retry", "bulk");
    List<Dag.Task> later = blocked("bulk", 2);
    sql.text("select tasker.act_on_task(?, 'resolve', 'bob', 'mine')", tasks.get(1).uuid());
    advance(2);
    advance(50);

    assertThat(verdicts(token)).containsExactly("done", "refused no-longer-matches", "done",
        "done");
    assertThatTask(tasks.get(1)).isIn("resolved_manually");
    assertThat(later).allSatisfy(task -> assertThatTask(task).isIn("blocked_by_failures"));
    JsonObject result = sql.object("select tasker.run_bulk_action(?)", token);
    assertThat(result.getJsonArray("refusals").getJsonObject(0).getString("task_uuid"))
        .isEqualTo(tasks.get(1).uuid().toString());
  }

  @Test
  void a_task_that_another_transaction_holds_is_refused_and_does_not_hold_up_the_rest() {
    List<Dag.Task> tasks = blocked("bulk", 3);
    UUID token = started("retry", "bulk");
    try (Sql other = Sql.session()) {
      other.text("select task_uuid::text from tasker.tasks where task_uuid = ? for update",
          tasks.get(1).uuid());

      advance(50);

      other.rollback();
    }
    assertThat(verdicts(token)).containsExactly("done", "refused task-locked", "done");
    assertThat(document(token).getString("state")).isEqualTo("done");
  }

  @Test
  void what_a_dead_server_had_not_committed_is_done_by_the_next_one() {
    blocked("bulk", 4);
    UUID token = started("fail", "bulk");
    try (Sql dying = Sql.session(); Sql other = Sql.session()) {
      assertThat(dying.object("select tasker.advance_bulk_actions(null, 2)").getInt("tasks"))
          .isEqualTo(2);
      assertThat(other.object("select tasker.advance_bulk_actions(null, 2)").getInt("tasks"))
          .as("while a server is at it, others pass")
          .isZero();
      dying.rollback();
    }
    assertThat(results(token)).isEqualTo("0 0 0");
    assertThat(advance(50)).isEqualTo(4);
    assertThat(verdicts(token)).hasSize(4).containsOnly("done");
  }

  @Test
  void the_rest_can_be_cancelled_and_the_verdicts_stay() {
    List<Dag.Task> tasks = blocked("bulk", 5);
    UUID waiting = counted("resolve", "bulk");
    assertThat(sql.object("select tasker.cancel_bulk_action(?, 'ann')", waiting).getString("code"))
        .isEqualTo("bulk-action-not-running");
    UUID token = started("resolve", "bulk");
    advance(2);

    JsonObject cancelled = sql.object("select tasker.cancel_bulk_action(?, 'bob')", token);
    assertThat(cancelled.getString("outcome")).isEqualTo("cancelled");
    assertThat(cancelled.getString("state")).isEqualTo("cancelled");
    assertThat(cancelled.getString("cancelled_by")).isEqualTo("bob");
    assertThat(advance(50)).isZero();
    assertThat(tasks.stream()
        .filter(task -> sql
            .text("select state::text from tasker.tasks where task_uuid = ?", task.uuid())
            .startsWith("blocked")))
        .hasSize(3);
    assertThat(verdicts(token)).hasSize(2);
    assertThat(document(token).getInt("rest")).isEqualTo(3);
    assertThat(sql.object("select tasker.cancel_bulk_action(?, 'bob')", token).getString("outcome"))
        .isEqualTo("already");
    assertThat(
        sql.object("select tasker.cancel_bulk_action(gen_random_uuid(), 'bob')").getString("code"))
        .isEqualTo("token-not-found");
  }

  @Test
  void a_user_who_may_close_no_dead_letters_any_more_closes_none() {
    blocked("shutting", 2);
    String user = sql.text(
        "insert into tasker.access_users (name, created_by) values ('bulk-' || gen_random_uuid(), 'test') returning user_uuid::text");
    sql.run(
        "insert into tasker.access_grants (user_uuid, permission, namespace, granted_by) values (?::uuid, 'tasks:*', 'shutting', 'test')",
        user);
    JsonObject preview = sql.object(
        "select tasker.preview_bulk_action('close_dead_letters', '{\"namespace\": \"shutting\"}', 'ann', 'why', p_made_by => ?, "
            + "p_background => true, p_resolution => 'cancelled')",
        "user:" + user);
    UUID token = UUID.fromString(preview.getString("token"));
    sql.text("select tasker.run_bulk_action(?)", token);
    advance(1);
    assertThat(document(token).getString("state")).isEqualTo("stopped");
    assertThat(results(token)).isEqualTo("0 0 0");
  }

  @Test
  void a_user_who_lost_the_permission_acts_no_more() {
    List<Dag.Task> tasks = blocked("bulk", 4);
    String user = sql
        .text(
            "insert into tasker.access_users (name, created_by) values ('bulk-' || gen_random_uuid(), 'test') returning user_uuid::text");
    sql.run(
        "insert into tasker.access_grants (user_uuid, permission, namespace, granted_by) values (?::uuid, 'tasks:*', 'bulk', 'test')",
        user);
    JsonObject preview = sql.object(
        "select tasker.preview_bulk_action('resolve', '{\"namespace\": \"bulk\"}', 'ann', 'why', p_made_by => ?, p_background => true)",
        "user:" + user);
    UUID token = UUID.fromString(preview.getString("token"));
    sql.text("select tasker.run_bulk_action(?)", token);
    assertThat(advance(1)).isEqualTo(1);
    assertThat(
        sql.text("select tasker.may_still_act(?, 'tasks:act', 'elsewhere')::text", "user:" + user))
        .isEqualTo("false");

    sql.run("delete from tasker.access_grants where user_uuid = ?::uuid", user);
    advance(1);

    assertThat(document(token).getString("state")).isEqualTo("stopped");
    assertThat(results(token)).isEqualTo("1 0 0");
    assertThat(advance(50)).isZero();
    assertThatTask(tasks.get(3)).isIn("blocked_by_failures");
    assertThat(sql.text("select tasker.may_still_act('ann', 'tasks:act', null)::text"))
        .as("only users and keys of the database")
        .isEqualTo("true");
    assertThat(sql
        .text("select tasker.may_still_act('key:' || gen_random_uuid(), 'tasks:act', null)::text"))
        .isEqualTo("false");
  }

  @Test
  void a_compensation_in_the_background_needs_the_permission_to_cancel_as_well() {
    List<Dag.Task> tasks = Dag.of("a").compensatedBy("undo", 1).step("b").dependsOn("a")
        .inNamespace("bulk").started(3);
    worker.complete(0, worker.forNamespaces("bulk").claim(3).stream().map(Claim::success).toList());
    String user = sql
        .text(
            "insert into tasker.access_users (name, created_by) values ('bulk-' || gen_random_uuid(), 'test') returning user_uuid::text");
    sql.run(
        "insert into tasker.access_grants (user_uuid, permission, namespace, granted_by) values (?::uuid, 'tasks:*', 'bulk', 'test')",
        user);
    UUID token = UUID.fromString(sql.object(
        "select tasker.preview_bulk_action('compensate', '{\"namespace\": \"bulk\"}', 'ann', 'recall', p_made_by => ?, p_background => true)",
        "user:" + user).getString("token"));
    sql.text("select tasker.run_bulk_action(?)", token);
    advance(1);
    assertThat(results(token)).isEqualTo("1 0 0");
    assertThat(sql.number("select count(*) from tasker.task_compensations where task_uuid = ?",
        tasks.get(0).uuid())).isOne();

    sql.run("update tasker.access_grants set permission = 'tasks:act' where user_uuid = ?::uuid",
        user);
    advance(50);
    assertThat(document(token).getString("state")).isEqualTo("stopped");
    assertThat(results(token)).isEqualTo("1 0 0");
  }

  @Test
  void an_error_of_one_task_is_its_verdict() {
    List<Dag.Task> tasks = blocked("bulk", 3);
    UUID token = started("resolve", "bulk");
    sql.run(
        "create function tasker.refuse_one() returns trigger language plpgsql as $$ begin if new.task_uuid = '"
            + tasks.get(1).uuid()
            + "' then raise exception 'no' using errcode = 'XX001'; end if; return new; end $$");
    sql.run(
        "create trigger refuse_one before update on tasker.tasks for each row execute function tasker.refuse_one()");
    try {
      advance(50);
    } finally {
      sql.run("drop trigger refuse_one on tasker.tasks");
      sql.run("drop function tasker.refuse_one()");
    }
    assertThat(verdicts(token)).containsExactly("done", "refused action-failed", "done");
    assertThatTask(tasks.get(1)).isIn("blocked_by_failures");
  }

  @Test
  void started_actions_and_their_verdicts_are_listed_by_page() {
    blocked("bulk", 5);
    counted("resolve", "bulk");
    UUID first = started("fail", "bulk");
    advance(50);
    UUID second = started("retry", "bulk");
    JsonObject page = sql.object("select tasker.list_bulk_actions(null, 1)");
    assertThat(page.getJsonArray("bulk_actions").getJsonObject(0).getString("token"))
        .isEqualTo(second.toString());
    JsonObject rest = sql.object("select tasker.list_bulk_actions('[\"bulk\"]', 1, ?::uuid)",
        page.getString("next"));
    assertThat(rest.getJsonArray("bulk_actions").getJsonObject(0).getString("token"))
        .isEqualTo(first.toString());
    assertThat(rest.isNull("next")).as("one that was only counted is not listed").isTrue();
    assertThat(
        sql.object("select tasker.list_bulk_actions('[\"other\"]')").getJsonArray("bulk_actions"))
        .isEmpty();

    JsonObject verdicts = sql.object("select tasker.list_bulk_action_tasks(?, 'done', 3)", first);
    assertThat(verdicts.getJsonArray("tasks")).hasSize(3);
    assertThat(
        sql.object("select tasker.list_bulk_action_tasks(?, null, 3, ?::uuid)", first,
            verdicts.getString("next")).getJsonArray("tasks"))
        .hasSize(2);
    assertThat(sql.object("select tasker.list_bulk_action_tasks(?, 'refused')", first)
        .getJsonArray("tasks")).isEmpty();
    sql.text("select tasker.cancel_bulk_action(?, 'ann')", second);
  }
}
