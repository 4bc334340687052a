package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is purged and what is kept. After each test all promises are checked on what is left. */
@DatabaseTest
@DatabaseTest.Covers({"purge_expired_tasks", "get_retention_rules", "calculate_first_uuid",
  "preview_retention", "get_retention_preview",
  "set_retention_policy"})
class PurgeTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Instant inDays(int days) {
    return Instant.now().plus(Duration.ofDays(days));
  }

  private void keep(String namespace, String template, String state, Integer days) {
    assertThat(sql.text(
        "select tasker.set_retention_policy(?, ?, ?, cast(? as int), 'ann', 'the law says so')",
        namespace, template, state, days == null ? null : days.toString())).isNotNull();
  }

  /** Runs until nothing is left to purge; returns the number of purged tasks. */
  private int purge(Instant now) {
    int purged = 0;
    sql.text("select tasker.roll_up_analytics()");
    for (int round = 0; round < 1_000; round++) {
      JsonObject reply = sql.object(
          "select tasker.purge_expired_tasks(p_limit => 2, p_examine => 3, p_now => ?)", now);
      purged += reply.getInt("purged");
      if (!reply.getBoolean("more")) {
        return purged;
      }
    }
    throw new AssertionError("it never comes to an end");
  }

  private boolean isThere(Dag.Task task) {
    return sql.isTrue("select exists (select from tasker.tasks where task_uuid = ?)", task.uuid());
  }

  private Dag.Task finished(Dag dag) {
    Dag.Task task = dag.started();
    worker.runToTheEnd();
    return task;
  }

  private Dag.Task failed() {
    Dag.Task task = Dag.of("a").notRetryable().started();
    worker.complete(worker.claimOne().permanentFailure());
    return task;
  }

  @Test
  void without_a_policy_everything_is_kept() {
    Dag.Task task = finished(Dag.linear(2));
    assertThat(purge(inDays(36_000))).isZero();
    assertThat(isThere(task)).isTrue();
  }

  @Test
  void a_task_goes_when_it_has_rested_for_as_long_as_it_is_kept_and_nothing_of_it_is_left_but_its_history() {
    Dag.Task task = finished(
        Dag.diamond().searchAttributes("{\"order\": \"id\"}").context("{\"id\": \"A-17\"}"));
    assertThat(sql.number("select count(*) from tasker.task_search_attributes where task_uuid = ?",
        task.uuid())).isOne();
    assertThat(sql.run(
        "insert into tasker.workflow_step_documents (workflow_step_uuid, task_uuid, checkpoint) values (?, ?, '{}')",
        task.step("a"),
        task.uuid())).isOne();
    assertThat(sql.run("insert into tasker.added_step_edges values (?, 1, 9)", task.uuid()))
        .isOne();
    keep(null, null, null, 10);
    assertThat(purge(inDays(9))).isZero();
    assertThat(purge(inDays(11))).isOne();

    for (String table : List.of("tasks", "task_contexts", "task_search_attributes",
        "workflow_steps", "workflow_step_documents",
        "added_step_edges", "workflow_step_result_audit", "task_wakeups")) {
      assertThat(
          sql.number("select count(*) from tasker." + table + " where task_uuid = ?", task.uuid()))
          .as(table).isZero();
    }
    assertThat(
        sql.number("select count(*) from tasker.task_transitions where task_uuid = ?", task.uuid()))
        .isPositive();
    assertThat(
        sql.number("select count(*) from tasker.purged_tasks where task_uuid = ?", task.uuid()))
        .isOne();
  }

  @Test
  void no_task_is_asked_for_its_webhooks_where_there_are_none() {
    List<UUID> tasks = List.of(finished(Dag.of("a")).uuid(), finished(Dag.of("a")).uuid());
    sql.text("select tasker.roll_up_analytics()");
    try (Sql session = Sql.session()) {
      session.run("set local track_functions = 'all'");
      assertThat(session.texts("select unnest(tasker.purge_tasks(?))", tasks)).hasSize(2);
      assertThat(session.number("select coalesce(sum(calls), 0) from pg_stat_xact_user_functions "
          + "where schemaname = 'tasker' and funcname = 'is_awaited_by_webhook'")).isZero();
      session.rollback();
    }
  }

  @Test
  void unfinished_work_is_never_purged_however_old_it_is() {
    Dag.Task pending = Dag.of("a").submitted();
    Dag.Task offered = Dag.of("a").started();
    Dag.Task blocked = failed();
    keep(null, null, null, 0);
    assertThat(purge(inDays(36_000))).isZero();
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))",
        List.of(pending.uuid(), offered.uuid(), blocked.uuid()))).isEmpty();
    assertThat(List.of(pending, offered, blocked)).allMatch(this::isThere);
  }

  @Test
  void the_narrowest_word_counts() {
    finished(Dag.of("a"));
    Dag.Task own = finished(Dag.of("b").lifecycle("retention_days", 20));
    String rules = "select keep_days from tasker.get_retention_rules() where named_task_uuid = ? and state = 'complete'";
    keep(null, null, null, 1);
    keep("orders", null, null, 2);
    keep("orders", null, "complete", 3);
    assertThat(sql.text(rules, own.template().uuid())).isEqualTo("20");
    keep("orders", own.template().name(), null, 30);
    assertThat(sql.text(rules, own.template().uuid())).isEqualTo("30");
    keep("orders", own.template().name(), "complete", null);
    assertThat(sql.text(rules, own.template().uuid())).isNull();
    assertThat(sql.texts(
        "select distinct keep_days from tasker.get_retention_rules() r join tasker.named_tasks n using (named_task_uuid) "
            + "join tasker.task_namespaces ns using (task_namespace_uuid) where ns.name = 'orders' and retention_days is null and state = 'complete'"))
        .containsExactly("3");
    assertThat(sql.texts(
        "select distinct keep_days from tasker.get_retention_rules() r join tasker.named_tasks n using (named_task_uuid) "
            + "join tasker.task_namespaces ns using (task_namespace_uuid) where ns.name = 'orders' and retention_days is null and state = 'error'"))
        .containsExactly("2");
  }

  @Test
  void each_state_has_its_own_age() {
    Dag.Task complete = finished(Dag.of("a"));
    Dag.Task cancelled = Dag.of("a").submitted();
    sql.text("select tasker.request_cancel(?, 'ann', 'no')", cancelled.uuid());
    keep(null, null, "cancelled", 5);
    assertThat(purge(inDays(1_000))).isOne();
    assertThat(isThere(complete)).isTrue();
    assertThat(isThere(cancelled)).isFalse();
  }

  @Test
  void a_task_with_an_open_dead_letter_is_kept_until_that_is_closed() {
    Dag.Task task = finished(Dag.of("a"));
    sql.text("select tasker.send_task_to_dlq(?, 'ann', 'is this right?')", task.uuid());
    keep(null, null, null, 0);
    assertThat(purge(inDays(1))).isZero();
    sql.run(
        "update tasker.tasks_dlq set resolution_status = 'manually_resolved', resolution_timestamp = now()");
    assertThat(purge(inDays(2))).isOne();
    assertThat(sql.number("select count(*) from tasker.tasks_dlq")).isZero();
  }

  @Test
  void a_child_is_kept_as_long_as_its_parent_and_a_parent_as_long_as_an_unfinished_child() {
    Dag.Task parent = finished(Dag.of("a"));
    Dag.Task child = Dag.of("b").option("parent_task_uuid", parent.uuid().toString()).started();
    keep(null, null, null, 0);
    assertThat(purge(inDays(1))).as("the child is unfinished").isZero();

    worker.runToTheEnd();
    keep("orders", parent.template().name(), null, null);
    assertThat(purge(inDays(2))).as("the parent is kept without limit").isZero();
    assertThat(isThere(child)).isTrue();

    keep("orders", parent.template().name(), null, 0);
    assertThat(purge(inDays(3)) + purge(inDays(4))).isEqualTo(2);
  }

  @Test
  void who_submits_a_child_while_its_parent_is_purged_finds_none_and_the_other_way_round_the_parent_stays() {
    Dag.Task parent = finished(Dag.of("a"));
    sql.text("select tasker.roll_up_analytics()");
    Dag child = Dag.of("b").option("parent_task_uuid", parent.uuid().toString());
    JsonObject request = child.request(child.registered());
    try (Sql submitter = Sql.session()) {
      submitter.text("select tasker.submit_tasks(jsonb_build_array(?::jsonb))::text",
          request.toString());
      assertThat(sql.text("select tasker.purge_tasks(?)", List.of(parent.uuid()))).isEqualTo("{}");
      submitter.rollback();
    }
    try (Sql purger = Sql.session(); Sql submitter = Sql.session()) {
      assertThat(purger.texts("select unnest(tasker.purge_tasks(?))", List.of(parent.uuid())))
          .hasSize(1);
      var waiting = submitter
          .later(s -> s.object("select tasker.submit_tasks(jsonb_build_array(?::jsonb))",
              request.toString()))
          .untilItWaits();
      purger.commit();
      assertThat(waiting.get().getJsonArray("verdicts").getJsonObject(0).getString("verdict"))
          .isEqualTo("invalid");
    }
  }

  @Test
  void two_purgers_take_different_templates() {
    Dag.of("a").started(6);
    Dag.of("b").started(6);
    worker.runToTheEnd();
    sql.text("select tasker.roll_up_analytics()");
    keep("orders", Dag.of("a").registered().name(), null, 0);
    keep("orders", Dag.of("b").registered().name(), null, 0);
    sql.run("insert into tasker.retention_progress (named_task_uuid) values (?)",
        Dag.of("a").registered().uuid());
    sql.run("insert into tasker.retention_progress (named_task_uuid) values (?)",
        Dag.of("b").registered().uuid());
    String call = "select tasker.purge_expired_tasks(p_examine => 100, p_now => ?)";
    try (Sql one = Sql.session(); Sql two = Sql.session()) {
      JsonObject mine = one.object(call, inDays(1));
      // Only for the tallies at the very end.
      var waiting = two.later(s -> s.object(call, inDays(1))).untilItWaits();
      one.commit();
      assertThat(waiting.get().getString("template_uuid"))
          .isNotEqualTo(mine.getString("template_uuid"));
      two.commit();
    }
    assertThat(sql.number("select count(*) from tasker.purged_tasks")).isEqualTo(12);
    assertThat(sql.number("select sum(purged_tasks) from tasker.retention_progress")).isEqualTo(12);
  }

  @Test
  void a_running_batch_does_not_delay_a_caller_that_finds_nothing_else() {
    keep("orders", Dag.of("a").registered().name(), null, 0);
    String call = "select tasker.purge_expired_tasks()";
    try (Sql one = Sql.session(); Sql two = Sql.session()) {
      assertThat(one.object(call).getBoolean("more")).isTrue();
      assertThat(two.object(call).getBoolean("more")).isFalse();
    }
  }

  @Test
  void a_purge_that_was_put_off_for_years_takes_place() {
    Dag.linear(3).started(2);
    worker.runToTheEnd();
    keep(null, null, null, 0);
    sql.run("insert into tasker.retention_progress (named_task_uuid, next_pass_at) "
        + "select distinct named_task_uuid, now() + interval '9 years' from tasker.tasks");
    assertThat(purge(inDays(1))).isEqualTo(2);
  }

  @Test
  void counts_by_state_follow_what_was_purged_also_when_they_are_made_afresh() {
    Dag.linear(3).started(7);
    worker.runToTheEnd();
    Dag.Task left = Dag.of("a").started();
    keep(null, null, null, 0);
    assertThat(purge(inDays(1))).isEqualTo(7);
    assertCounts(left);
    sql.text("select tasker.rebuild_analytics()");
    assertCounts(left);
  }

  private void assertCounts(Dag.Task left) {
    assertThat(isThere(left)).isTrue();
    Map<String, Object> counts = sql.rows(
        "select total_tasks, complete_tasks, steps_in_process_tasks, complete_steps, total_steps from tasker.get_system_health_counts()")
        .get(0);
    assertThat(counts)
        .isEqualTo(Map.of("total_tasks", 1L, "complete_tasks", 0L, "steps_in_process_tasks", 1L,
            "complete_steps", 0L, "total_steps", 1L));
  }

  @Test
  void what_the_analytics_have_not_counted_yet_is_kept_until_they_have() {
    Dag.Task task = finished(Dag.of("a"));
    assertThat(sql.text("select tasker.purge_tasks(?)", List.of(task.uuid()))).isEqualTo("{}");
    sql.text("select tasker.roll_up_analytics()");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", List.of(task.uuid())))
        .containsExactly(task.uuid().toString());
  }

  @Test
  void a_short_pass_is_repeated_soon_and_a_long_one_later() {
    Dag.Task task = Dag.of("a").started();
    Dag.of("a").started(3);
    keep("orders", task.template().name(), null, 0);
    Instant now = inDays(1);
    // Templates of other tests, which stay, may have rules of their own.
    sql.run(
        "insert into tasker.retention_progress (named_task_uuid, next_pass_at) select distinct r.named_task_uuid, 'infinity'::timestamptz "
            + "from tasker.get_retention_rules() r where r.keep_days is not null and r.named_task_uuid <> ?",
        task.template().uuid());
    String next = "select extract(epoch from next_pass_at - ?::timestamptz)::int from tasker.retention_progress where named_task_uuid = ?";
    sql.text("select tasker.purge_expired_tasks(p_now => ?)", now);
    assertThat(sql.number(next, now, task.template().uuid())).isEqualTo(30);
    sql.run(
        "update tasker.retention_progress set next_pass_at = '-infinity' where named_task_uuid = ?",
        task.template().uuid());
    for (int batch = 0; batch < 3; batch++) {
      sql.text("select tasker.purge_expired_tasks(p_examine => 2, p_now => ?)", now);
    }
    assertThat(sql.number(next, now, task.template().uuid())).isEqualTo(300);
  }

  @Test
  void the_same_request_is_a_new_task_once_the_old_one_is_purged() {
    Dag dag = Dag.of("a").identity("strict");
    Dag.Task first = finished(dag);
    sql.text("select tasker.roll_up_analytics()");
    sql.text("select tasker.purge_tasks(?)", List.of(first.uuid()));
    assertThat(finished(dag).uuid()).isNotEqualTo(first.uuid());
  }

  @Test
  void a_dry_run_says_what_would_go_and_changes_nothing() {
    finished(Dag.of("a"));
    Dag.Task parent = finished(Dag.of("b"));
    finished(Dag.of("b").option("parent_task_uuid", parent.uuid().toString()));
    JsonObject answer = sql.object(
        "select tasker.set_retention_policy('orders', null, 'complete', 3, 'ann', 'room', true, false, ?)",
        inDays(4));

    assertThat(answer.getJsonObject("preview").getInt("tasks")).isEqualTo(3);
    assertThat(answer.getJsonObject("preview").getInt("retained")).isOne();
    assertThat(answer.getJsonObject("preview").getJsonArray("by_template").getJsonObject(0)
        .getString("decided_by"))
        .isEqualTo("namespace policy");
    assertThat(sql.number("select count(*) from tasker.retention_policies")).isZero();
    assertThat(sql.number("select count(*) from tasker.operator_actions")).isZero();
    assertThat(purge(inDays(4))).isZero();
  }

  @Test
  void a_policy_has_an_existing_scope_an_actor_and_a_reason() {
    assertThatDatabaseRefuses("TK007",
        () -> sql
            .text("select tasker.set_retention_policy(null, null, 'running', 3, 'ann', 'room')"))
        .hasMessageContaining("running");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.set_retention_policy(null, null, null, -1, 'ann', 'room')"))
        .hasMessageContaining("days");
    assertThatDatabaseRefuses("TK007",
        () -> sql
            .text("select tasker.set_retention_policy(null, null, null, 3, 'ann', 'room', null)"))
        .hasMessageContaining("dry_run");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text(
            "select tasker.set_retention_policy(null, null, null, 3, 'ann', 'room', false, null)"))
        .hasMessageContaining("remove");
    assertThat(sql.number("select count(*) from tasker.retention_policies")).isZero();
    assertThatThrownBy(
        () -> sql.text("select tasker.set_retention_policy(null, null, null, 3, 'ann', ' ')"))
        .hasMessageContaining("reason");
    keep(null, null, "error", 3);
    assertThat(sql.object(
        "select tasker.set_retention_policy(null, null, 'error', null, 'ann', 'room', p_remove => true)")
        .getJsonObject("policy").getBoolean("removed")).isTrue();
    assertThat(sql.texts("select action from tasker.operator_actions order by acted_at"))
        .containsExactly("set_retention_policy",
            "remove_retention_policy");
  }
}
