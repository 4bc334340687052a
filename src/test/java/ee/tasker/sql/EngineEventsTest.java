package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What the engine publishes itself: in the transaction of what it tells about, where the template
 * asks for it, and once.
 */
@DatabaseTest
@DatabaseTest.Covers({"publish_task_events", "get_task_event_name", "publish_approval_events",
  "get_approval_event_name",
  "publish_dlq_events", "publish_fire_events", "publish_pause_events", "delete_fire_events",
  "find_event_violations"})
class EngineEventsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Dag publishing(Dag dag) {
    return dag.lifecycle("publishes_events", List.of("tasks", "approvals", "dead_letters"));
  }

  private List<String> events(Dag.Task task) {
    return sql.texts(
        "select replace(name, 'tasker.', '') from tasker.domain_events where task_uuid = ? order by event_number",
        task.uuid());
  }

  private JsonObject data(Dag.Task task, String name) {
    return sql.object(
        "select data from tasker.domain_events where task_uuid = ? and name = ? order by event_number desc limit 1",
        task.uuid(), name);
  }

  @Test
  void a_task_that_ends_says_so_in_the_transaction_of_its_end() {
    Dag.Task task = publishing(Dag.of("a")).started();
    SqlWorker.Claim claim = worker.claimOne();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(claim.success("1"));
      assertThat(session.number("select count(*) from tasker.domain_events")).isEqualTo(1);
      session.rollback();
    }
    assertThat(events(task)).isEmpty();

    worker.complete(claim.success("1"));

    assertThat(events(task)).containsExactly("task.completed");
    assertThat(data(task, "tasker.task.completed").toString())
        .isEqualTo("{\"state\":\"complete\",\"previous_state\":\"steps_in_process\"}");
    sql.number("select tasker.sequence_events()");
    JsonObject event = sql.object("select tasker.list_domain_events('{}', 10, 0)")
        .getJsonArray("events").getJsonObject(0);
    assertThat(event.getString("source")).isEqualTo("/v1/tasks/" + task.uuid());
    assertThat(event.getString("taskernamespace")).isEqualTo("orders");
    assertThat(event.containsKey("taskeroutcome")).isFalse();
    assertThatHistoryIsSound();
  }

  @Test
  void a_template_that_does_not_ask_publishes_nothing() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(events(task)).isEmpty();

    Dag.Task other = Dag.of("a").lifecycle("publishes_events", List.of("dead_letters")).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(events(other)).containsExactly("dead_letter.opened");
    assertThatHistoryIsSound();
  }

  @Test
  void a_failure_tells_of_the_block_the_dead_letter_and_the_end() {
    Dag.Task task = publishing(Dag.of("a").notRetryable()).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(events(task)).containsExactlyInAnyOrder("task.blocked", "dead_letter.opened");
    assertThat(data(task, "tasker.dead_letter.opened").getJsonArray("failed_steps").toString())
        .isEqualTo("[\"a\"]");

    sql.text("select tasker.act_on_task(?, 'fail', 'ann', 'cannot be mended')", task.uuid());
    assertThat(events(task)).endsWith("task.failed");
    assertThat(data(task, "tasker.task.failed").getString("by")).isEqualTo("ann");
    sql.text("select tasker.act_on_task(?, 'resolve', 'ann', 'done by hand')", task.uuid());
    assertThat(events(task)).endsWith("task.resolved");

    Dag.Task cancelled = publishing(Dag.of("a")).started();
    sql.text("select tasker.request_cancel(?, 'ann', 'a test')", cancelled.uuid());
    assertThat(events(cancelled)).containsExactly("task.cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_compensated_task_says_so_once_and_before_its_end() {
    Dag.Task task = publishing(
        Dag.of("charge").compensatedBy("refund", 2).step("tell").dependsOn("charge")
            .lifecycle("on_failure", "compensate"))
        .started();
    worker.complete(worker.claimOne().success("1"));
    worker.complete(worker.claimOne().permanentFailure());
    worker.complete(worker.claimOne().success("1"));

    assertThat(events(task)).containsExactly("task.compensated", "task.failed");
    assertThat(data(task, "tasker.task.failed").getString("compensation")).isEqualTo("compensated");
    sql.text("select tasker.act_on_task(?, 'resolve', 'ann', 'looked at')", task.uuid());
    assertThat(events(task)).containsExactly("task.compensated", "task.failed", "task.resolved");
    assertThatHistoryIsSound();
  }

  @Test
  void a_blocked_task_past_its_sla_says_so() {
    Dag.Task task = publishing(Dag.of("a").slaMinutes(1)).started();
    worker.complete(worker.claimOne().permanentFailure());
    worker.at(Instant.now().plusSeconds(120)).advance();
    assertThat(data(task, "tasker.task.sla_breached").getString("state"))
        .isEqualTo("blocked_by_failures");
  }

  @Test
  void a_task_past_its_sla_says_so_once() {
    Dag.Task task = publishing(Dag.of("a").slaMinutes(1)).started();
    Instant late = Instant.now().plus(Duration.ofMinutes(2));
    sql.number("select tasker.escalate_sla_breaches(array[?], ?)", task.uuid(), late);
    sql.number("select tasker.escalate_sla_breaches(array[?], ?)", task.uuid(), late);

    assertThat(events(task)).containsExactly("task.sla_breached");
    assertThat(data(task, "tasker.task.sla_breached").getInt("sla_minutes")).isEqualTo(1);
  }

  @Test
  void an_approval_tells_who_is_asked_what_happens_and_how_it_ends() {
    // A user bob of another class without a right to decide would be refused.
    sql.run("truncate tasker.access_users, tasker.access_keys, tasker.access_grants cascade");
    Dag.Task task = publishing(
        Dag.of("a").waitingOnly(
            "{\"approval\": {\"title\": \"Loan\", \"candidates\": {\"users\": [\"ann\", \"bob\"]}, "
                + "\"show\": {\"secret\": \"$.context.iban\"}, \"due\": \"PT1H\"}}"))
        .context("{\"iban\": \"DE00\"}").started();
    worker.advance();
    UUID approval = sql.uuid("select approval_uuid from tasker.approvals where task_uuid = ?",
        task.uuid());
    sql.text("select tasker.claim_approval(?, 'ann')", approval);
    sql.text("select tasker.unclaim_approval(?, 'ann')", approval);
    sql.text("select tasker.delegate_approval(?, 'ann', 'bob')", approval);
    sql.text("select tasker.decide_approval(?, 'bob', true)", approval);

    assertThat(events(task)).containsExactly("approval.requested", "approval.claimed",
        "approval.unclaimed", "approval.delegated",
        "approval.decided", "task.completed");
    assertThat(data(task, "tasker.approval.requested").getJsonArray("candidate_users").toString())
        .isEqualTo("[\"ann\",\"bob\"]");
    assertThat(data(task, "tasker.approval.requested").getString("due_at")).isNotEmpty();
    assertThat(data(task, "tasker.approval.delegated").getString("given_to")).isEqualTo("bob");
    assertThat(data(task, "tasker.approval.decided").getBoolean("approved")).isTrue();
    assertThat(
        sql.number("select count(*) from tasker.domain_events where data::text like '%DE00%'"))
        .isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void an_approval_without_a_decision_is_escalated_and_expires() {
    Dag.Task task = publishing(Dag.of("a")
        .waitingOnly("{\"approval\": {\"title\": \"Loan\", \"candidates\": {\"users\": [\"ann\"]}, "
            + "\"due\": \"PT1H\", \"escalate_to\": {\"users\": [\"lea\"], \"due\": \"PT1H\"}, \"on_due\": {\"approved\": false}}}"))
        .started();
    worker.advance();
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, now() + interval '61 minutes')",
        task.uuid());
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, now() + interval '3 hours')",
        task.uuid());

    assertThat(events(task)).containsExactly("approval.requested", "approval.escalated",
        "approval.expired", "task.completed");
    assertThat(data(task, "tasker.approval.escalated").getJsonArray("candidate_users").toString())
        .contains("lea");
  }

  private UUID schedule(int pauseAfter) {
    return sql.uuid(
        "insert into tasker.schedules (namespace_name, name, template_name, every_seconds, anchor_at, ends_at, created_by, updated_by, "
            + "pause_after_failures) values ('orders', 'nightly', 'gone', 60, now(), now(), 'ann', 'ann', "
            + pauseAfter
            + ") returning schedule_uuid");
  }

  private void fail(UUID schedule, String fireAt) {
    sql.text(
        "select tasker.start_scheduled_tasks(jsonb_build_array(jsonb_build_object('schedule_uuid', ?::uuid, 'fire_at', ?::text, "
            + "'origin', 'schedule', 'problem', '{\"code\": \"unknown-template\", \"message\": \"DE00\"}'::jsonb)))",
        schedule, fireAt);
  }

  private List<String> events(UUID schedule) {
    return sql.texts(
        "select replace(name, 'tasker.', '') || ' ' || (data ->> 'code') from tasker.domain_events where cause_uuid = ? "
            + "order by event_number",
        schedule);
  }

  @Test
  void a_schedule_tells_of_fire_times_that_fail_and_of_its_pause() {
    UUID schedule = schedule(2);
    fail(schedule, "2026-11-01T00:00:00Z");
    fail(schedule, "2026-11-01T00:00:00Z");
    assertThat(events(schedule)).containsExactly("schedule.fire_failed unknown-template",
        "schedule.paused unknown-template");
    fail(schedule, "2026-11-01T00:01:00Z");

    assertThat(events(schedule)).hasSize(3);
    assertThat(
        sql.number("select count(*) from tasker.domain_events where data::text like '%DE00%'"))
        .isZero();
    sql.number("select tasker.sequence_events()");
    JsonObject page = sql
        .object("select tasker.list_domain_events('{\"namespace\": \"orders\"}', 10, 0)");
    assertThat(page.getJsonArray("events")).hasSize(3);
    JsonObject event = page.getJsonArray("events").getJsonObject(0);
    assertThat(event.getString("subject")).isEqualTo(schedule.toString());
    assertThat(event.getString("source")).isEqualTo("/v1/schedules/" + schedule);
    assertThat(event.getString("taskertemplate")).isEqualTo("gone");
    assertThat(
        sql.object("select tasker.list_domain_events('{\"schedules_in\": [\"payments\"]}', 10, 0)")
            .getJsonArray("events"))
        .isEmpty();

    sql.run("delete from tasker.schedule_fires where fire_at = '2026-11-01T00:00:00Z'");
    assertThat(events(schedule)).containsExactly("schedule.fire_failed unknown-template");
  }

  @Test
  void no_template_publishes_under_the_names_of_the_engine() {
    assertThatDatabaseRefuses("23514",
        () -> Dag.of("a").publishes("[{\"name\": \"tasker.task.completed\"}]").started())
        .hasMessageContaining("prefix_of_the_engine_is_reserved");
  }
}
