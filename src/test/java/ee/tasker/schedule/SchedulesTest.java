package ee.tasker.schedule;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
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
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fire times: each gets one task, or a row that says why not. */
@DatabaseTest
@DatabaseTest.Covers({"take_due_schedules", "fire_schedules", "start_scheduled_tasks",
  "advance_backfills", "start_backfill",
  "save_schedule", "decline_schedules",
  "change_schedule", "trigger_schedule", "get_schedule_documents", "list_schedule_fires",
  "get_backfill_documents", "find_started_fires",
  "get_schedule_figures", "find_schedule_violations", "take_stalled_schedules",
  "restore_fire_times"})
class SchedulesTest {
  private static final String DAILY = "\"cron\": \"0 3 * * *\"";
  /** Whole hours ago, so that tasks are not dated in the future. */
  private static final Instant START = Instant.parse("2026-01-10T00:00:00Z");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final ScheduleDesk desk = new ScheduleDesk(sql);
  private final Dag.Template dag = Dag.of("a").inNamespace("schedules_test").version("1.0.0")
      .registered();

  private UUID schedule(String members) {
    return desk.create(dag.namespace(), dag.name(), "{" + members + "}", START);
  }

  private static Instant at(String dayAndTime) {
    return Instant.parse("2026-01-" + dayAndTime.replace(' ', 'T') + "Z");
  }

  private Instant next(UUID schedule) {
    return sql.instant("select next_fire_at from tasker.schedules where schedule_uuid = ?",
        schedule);
  }

  private List<String> times(UUID schedule) {
    return sql.texts(
        "select to_char(t.requested_at at time zone 'UTC', 'MM-DD HH24:MI:SS') from tasker.schedule_fires f "
            + "join tasker.tasks t using (task_uuid) where f.schedule_uuid = ? order by t.requested_at",
        schedule);
  }

  private void finishAll() {
    worker.claim(99).forEach(claim -> worker.complete(claim.success()));
  }

  @Test
  void a_fire_time_submits_one_task_that_knows_it() {
    UUID schedule = schedule(
        DAILY
            + ", \"time_member\": \"day\", \"context\": {\"report\": 1}, \"options\": {\"tags\": [\"x\"], \"priority\": 7}");
    assertThat(desk.run(at("10 02:59:59"))).isZero();
    assertThat(desk.run(at("10 03:00:00"))).isEqualTo(1);
    assertThat(desk.run(at("10 23:00:00"))).isZero();

    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started");
    assertThat(next(schedule)).isEqualTo(at("11 03:00:00"));
    JsonObject document = sql
        .object("select tasker.get_expression_document(task_uuid) from tasker.tasks");
    assertThat(document.getJsonObject("context").toString())
        .isEqualTo("{\"day\":\"2026-01-10T03:00:00+00:00\",\"report\":1}");
    assertThat(document.getJsonObject("task").getString("requested_at"))
        .isEqualTo("2026-01-10T03:00:00+00:00");
    assertThat(
        sql.text("select concat_ws(' ', initiator, reason, tags, priority) from tasker.tasks"))
        .isEqualTo(
            "schedule:nightly schedule of schedule nightly for 2026-01-10T03:00:00+00:00 [\"x\"] 7");
    assertThatHistoryIsSound();
  }

  @Test
  void its_blocked_tasks_are_counted_beside_what_became_of_its_fire_times() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"allow\"");
    desk.run(at("10 03:00:00"));
    worker.claim(9).forEach(claim -> worker.complete(claim.permanentFailure()));
    desk.run(at("11 03:00:00"));

    JsonObject shown = sql.object("select tasker.get_schedule_documents(?)",
        "{\"schedule_uuid\": \"" + schedule + "\"}").getJsonArray("schedules").getJsonObject(0);
    assertThat(shown.getInt("started")).isEqualTo(2);
    assertThat(shown.getInt("failed")).isZero();
    assertThat(shown.getInt("blocked_tasks")).isEqualTo(1);
  }

  @Test
  void two_servers_take_different_schedules_and_the_second_waits_for_none() {
    schedule(DAILY);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      ScheduleDesk one = new ScheduleDesk(first);
      ScheduleDesk two = new ScheduleDesk(second);
      JsonObject taken = one.taken(at("10 04:00:00"), 10);
      assertThat(taken.getJsonArray("schedules")).hasSize(1);
      assertThat(two.taken(at("10 04:00:00"), 10).getJsonArray("schedules")).isEmpty();
      assertThat(one.fire(one.plans(taken, "schedules"), at("10 04:00:00")).getInt("tasks"))
          .isEqualTo(1);
      first.commit();
      assertThat(two.taken(at("10 04:00:00"), 10).getJsonArray("schedules")).isEmpty();
      second.commit();
    }
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(1);
  }

  @Test
  void of_two_plans_for_one_fire_time_the_later_decides_nothing() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"allow\"");
    Instant now = at("10 04:00:00");
    JsonObject plans = desk.plans(desk.taken(now, 10), "schedules");
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(new ScheduleDesk(first).fire(plans, now).getInt("tasks")).isEqualTo(1);
      assertThat(new ScheduleDesk(second).fire(plans, now).getInt("tasks"))
          .as("while the first holds the lock").isZero();
      first.commit();
      assertThat(new ScheduleDesk(second).fire(plans, now).getInt("tasks"))
          .as("the cursor has moved").isZero();
      second.commit();
    }
    assertThat(desk.fires(schedule)).hasSize(1);
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(1);
  }

  @Test
  void a_server_that_dies_before_the_commit_has_decided_nothing() {
    UUID schedule = schedule(DAILY);
    Instant now = at("10 04:00:00");
    try (Sql dying = Sql.session()) {
      ScheduleDesk desks = new ScheduleDesk(dying);
      desks.fire(desks.plans(desks.taken(now, 10), "schedules"), now);
      sql.run("select pg_terminate_backend(?)", dying.number("select pg_backend_pid()"));
    } catch (Sql.SqlProblem killed) {
      // its connection is gone
    }
    assertThat(desk.fires(schedule)).isEmpty();
    assertThat(desk.run(now)).isEqualTo(1);
    assertThat(times(schedule)).containsExactly("01-10 03:00:00");
  }

  private void loseFireTime(UUID schedule) {
    sql.run(
        "update tasker.schedules set next_fire_at = null, next_due_at = null where schedule_uuid = ?",
        schedule);
  }

  @Test
  void a_schedule_that_has_lost_its_next_fire_time_gets_it_back_and_fires_no_time_twice() {
    UUID schedule = schedule(DAILY);
    desk.run(at("10 03:00:00"));
    loseFireTime(schedule);
    assertThat(desk.run(at("12 12:00:00"))).as("no round finds it").isZero();

    assertThat(desk.restore(at("12 12:00:00"))).isEqualTo(1);
    assertThat(next(schedule)).as("after the one that was decided").isEqualTo(at("11 03:00:00"));
    assertThat(desk.restore(at("12 12:00:00"))).isZero();

    desk.run(at("12 12:00:00"));
    finishAll();
    desk.run(at("13 03:00:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule missed window 1",
        "01-12 03:00:00 schedule skipped overlap", "01-13 03:00:00 schedule started");
  }

  @Test
  void a_schedule_that_is_over_or_paused_or_deleted_gets_no_fire_time() {
    UUID over = schedule(DAILY + ", \"ends_at\": \"2026-01-11T00:00:00Z\"");
    desk.run(at("10 03:00:00"));
    assertThat(sql.text("select next_fire_at from tasker.schedules where schedule_uuid = ?", over))
        .isNull();
    assertThat(desk.restore(at("10 12:00:00"))).as("before its end, but it has no time left")
        .isZero();
    assertThat(desk.restore(at("12 12:00:00"))).isZero();
    sql.text("select tasker.change_schedule(?, 'delete', 'ann', 'over')", over);

    UUID paused = schedule(DAILY);
    sql.text("select tasker.change_schedule(?, 'pause', 'ann', 'for now', p_now => ?)", paused,
        at("10 01:00:00"));
    loseFireTime(paused);
    assertThat(desk.restore(at("12 12:00:00"))).as("paused").isZero();
    sql.text("select tasker.change_schedule(?, 'resume', 'ann', 'again', '{\"version\": 2}', ?)",
        paused, at("10 02:00:00"));
    assertThat(desk.restore(at("12 12:00:00"))).as("active again").isEqualTo(1);
    assertThat(next(paused)).isEqualTo(at("10 03:00:00"));
  }

  @Test
  void a_plan_that_does_not_move_forward_is_refused() {
    UUID schedule = schedule(DAILY);
    assertThatThrownBy(() -> sql.object("select tasker.fire_schedules(?::jsonb)",
        "[{\"schedule_uuid\": \"" + schedule
            + "\", \"version\": 1, \"expected_fire_at\": \"2026-01-10T03:00:00Z\", "
            + "\"fire_at\": \"2026-01-10T03:00:00Z\", \"next_fire_at\": \"2026-01-10T03:00:00Z\"}]"))
        .isInstanceOf(Sql.SqlProblem.class).hasMessageContaining("forward");
  }

  @Test
  void a_clock_that_is_set_back_fires_nothing_early_and_nothing_twice() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"allow\"");
    JsonObject plans = desk.plans(desk.taken(at("10 03:00:01"), 10), "schedules");
    assertThat(desk.fire(plans, at("10 02:59:00")).getInt("tasks"))
        .as("set back between the plan and the decision").isZero();
    desk.run(at("10 03:00:01"));
    desk.run(at("09 03:00:01"));
    desk.run(at("10 03:00:02"));
    assertThat(times(schedule)).containsExactly("01-10 03:00:00");
  }

  @Test
  void skip_records_what_it_skips_while_a_task_is_unfinished() {
    UUID schedule = schedule(DAILY);
    desk.run(at("10 03:00:00"));
    desk.run(at("11 03:00:00"));
    finishAll();
    desk.run(at("12 03:00:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule skipped overlap",
        "01-12 03:00:00 schedule started");
    assertThat(
        sql.text("select concat_ws(' ', started_count, skipped_count) from tasker.schedules"))
        .isEqualTo("2 1");
  }

  @Test
  void allow_starts_every_one() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"allow\"");
    desk.run(at("10 03:00:00"));
    desk.run(at("11 03:00:00"));
    assertThat(times(schedule)).containsExactly("01-10 03:00:00", "01-11 03:00:00");
  }

  @Test
  void queue_one_starts_one_when_the_task_ends_and_skips_the_others() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"queue_one\"");
    desk.run(at("10 03:00:00"));
    desk.run(at("11 03:00:00"));
    assertThat(desk.fires(schedule)).last().isEqualTo("01-11 03:00:00 schedule queued overlap");
    desk.run(at("12 03:00:00"));
    assertThat(desk.run(at("12 03:00:00"))).as("it does not spin").isZero();
    finishAll();
    desk.run(at("12 03:01:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule started",
        "01-12 03:00:00 schedule skipped overlap");
    assertThat(sql.text("select queued_fire_at::text from tasker.schedules")).isNull();
    assertThatHistoryIsSound();
  }

  @Test
  void cancel_previous_cancels_and_starts_when_the_task_has_ended() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"cancel_previous\"");
    desk.run(at("10 03:00:00"));
    SqlWorker.Claim running = worker.claimOne();
    desk.run(at("11 03:00:00"));
    assertThat(sql.isTrue("select cancel_requested_at is not null from tasker.tasks")).isTrue();
    assertThat(desk.fires(schedule)).last().isEqualTo("01-11 03:00:00 schedule queued overlap");
    desk.run(at("12 03:00:00"));
    worker.complete(running.success());
    desk.run(at("12 03:01:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule skipped replaced",
        "01-12 03:00:00 schedule started");
  }

  @Test
  void cancel_previous_replaces_a_task_that_is_not_running_at_once() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"cancel_previous\"");
    desk.run(at("10 03:00:00"));
    desk.run(at("11 03:00:00"));
    assertThat(sql.texts("select state::text from tasker.tasks order by requested_at"))
        .containsExactly("cancelled", "steps_in_process");
    assertThat(times(schedule)).hasSize(2);
  }

  @Test
  void after_an_outage_the_last_fire_time_is_made_up_for_and_the_others_are_one_range() {
    UUID schedule = schedule(
        "\"cron\": \"0 * * * *\", \"overlap\": \"allow\", \"catch_up_seconds\": 864000");
    assertThat(desk.run(at("12 05:30:00"))).isEqualTo(1);
    assertThat(desk.fires(schedule)).containsExactly("01-10 01:00:00 schedule missed catch_up 52",
        "01-12 05:00:00 schedule started");
    assertThat(next(schedule)).isEqualTo(at("12 06:00:00"));
    assertThat(sql.number("select missed_count from tasker.schedules")).isEqualTo(52);
  }

  @Test
  void all_makes_up_for_each_within_the_window_and_records_what_is_older() {
    UUID schedule = schedule(
        "\"cron\": \"0 * * * *\", \"overlap\": \"allow\", \"catch_up\": \"all\", \"catch_up_seconds\": 10800");
    desk.run(at("12 05:30:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 01:00:00 schedule missed window 50",
        "01-12 03:00:00 schedule started",
        "01-12 04:00:00 schedule started", "01-12 05:00:00 schedule started");
    assertThatHistoryIsSound();
  }

  @Test
  void when_all_are_older_than_the_window_none_is_started() {
    UUID schedule = schedule(DAILY + ", \"catch_up_seconds\": 60");
    desk.run(at("12 05:30:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule missed window 3");
    assertThat(next(schedule)).isEqualTo(at("13 03:00:00"));
  }

  @Test
  void a_fire_time_is_late_when_it_was_due_and_not_when_jitter_was_to_delay_it() {
    UUID schedule = schedule(
        DAILY + ", \"jitter_seconds\": 7200, \"catch_up_seconds\": 60, \"overlap\": \"allow\"");
    for (int day = 0; day < 3; day++) {
      desk.run(due(schedule));
    }
    desk.run(due(schedule).plusSeconds(61));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule started", "01-12 03:00:00 schedule started",
        "01-13 03:00:00 schedule missed window 1");
    assertThat(next(schedule)).isEqualTo(at("14 03:00:00"));
    assertThatHistoryIsSound();
  }

  private Instant due(UUID schedule) {
    return sql.instant("select next_due_at from tasker.schedules where schedule_uuid = ?",
        schedule);
  }

  @Test
  void a_hundred_thousand_missed_fire_times_are_one_row_and_one_round() {
    UUID schedule = schedule("\"every_seconds\": 1, \"overlap\": \"allow\"");
    assertThat(desk.run(START.plus(Duration.ofSeconds(100_000)))).isEqualTo(1);
    assertThat(desk.fires(schedule)).containsExactly("01-10 00:00:01 schedule missed window",
        "01-11 03:46:40 schedule started");
    assertThat(next(schedule)).isEqualTo(at("11 03:46:41"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"template_name\": \"gone\"", "\"context\": {\"wrong\": 1}",
    "\"options\": {\"priority\": 1000}"})
  void what_cannot_be_submitted_is_visible_moves_on_and_pauses_the_schedule_in_the_end(
      String fault) {
    UUID schedule = schedule(DAILY + ", \"pause_after_failures\": 3");
    if (fault.contains("gone")) {
      sql.run("update tasker.schedules set template_name = 'gone'");
    } else {
      sql.run(
          "update tasker.schedules s set " + (fault.contains("wrong") ? "context = '{\"wrong\": 1}'"
              : "options = '{\"priority\": 1000}'"));
    }
    desk.run(at("10 03:00:00"));
    assertThat(next(schedule)).isEqualTo(at("11 03:00:00"));
    assertThat(sql.text("select last_failure ->> 'message' from tasker.schedules")).isNotBlank();
    desk.run(at("11 03:00:00"));
    assertThat(sql.isTrue("select paused_at is null from tasker.schedules")).isTrue();
    desk.run(at("12 03:00:00"));
    desk.run(at("13 03:00:00"));
    assertThat(desk.fires(schedule)).hasSize(3)
        .allMatch(fire -> fire.contains(" schedule failed "));
    assertThat(sql.text("select paused_by || ': ' || pause_reason from tasker.schedules"))
        .startsWith("tasker: 3 failures in a row");
    assertThat(sql.number(
        "select count(*) from tasker.operator_actions where action = 'pause_schedule' and acted_by = 'tasker'"))
        .isEqualTo(1);
    assertThat(sql.object("select tasker.get_schedule_figures()").getInt("failing")).isEqualTo(1);
  }

  @Test
  void after_failures_in_a_row_the_schedule_is_paused() {
    UUID schedule = schedule(DAILY + ", \"pause_after_failures\": 1");
    sql.run("update tasker.schedules set template_name = 'gone'");
    desk.run(at("10 03:00:00"));
    assertThat(sql.text("select paused_by from tasker.schedules where schedule_uuid = ?", schedule))
        .isEqualTo("tasker");
  }

  @Test
  void one_that_fails_holds_up_no_other() {
    UUID broken = schedule(DAILY);
    sql.run(
        "update tasker.schedules set options = '{\"tags\": [\"x\"], \"correlation_id\": \"no uuid\"}'");
    UUID sound = schedule(DAILY + ", \"name\": \"other\"");
    desk.run(at("10 03:00:00"));
    assertThat(desk.fires(broken))
        .containsExactly("01-10 03:00:00 schedule failed cannot-be-processed");
    assertThat(desk.fires(sound)).containsExactly("01-10 03:00:00 schedule started");
  }

  @Test
  void a_paused_template_leaves_its_task_pending() {
    UUID schedule = schedule(DAILY);
    sql.object("select tasker.pause_templates(?, ?, null, 'ann', 'test')", dag.namespace(),
        dag.name());
    desk.run(at("10 03:00:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started");
    assertThat(sql.text("select state::text from tasker.tasks")).isEqualTo("pending");
    sql.object("select tasker.resume_templates(?, ?, null, 'ann', 'test')", dag.namespace(),
        dag.name());
  }

  @Test
  void a_pause_holds_until_the_resume_which_skips_what_lies_between() {
    UUID schedule = schedule(DAILY);
    change(schedule, "pause", "{}", at("10 01:00:00"));
    assertThat(sql.text("select paused_by from tasker.schedules")).isEqualTo("ann");
    desk.run(at("12 05:00:00"));
    assertThat(desk.fires(schedule)).isEmpty();
    assertThat(change(schedule, "pause", "{}", at("10 02:00:00")).getString("outcome"))
        .isEqualTo("already_done");
    change(schedule, "resume",
        "{\"version\": 2, \"count\": 3, \"next_fire_at\": \"2026-01-13T03:00:00Z\", \"next_due_at\": \"2026-01-13T03:00:00Z\"}",
        at("12 05:00:00"));
    desk.run(at("12 05:00:01"));
    desk.run(at("13 03:00:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule missed paused 3",
        "01-13 03:00:00 schedule started");
    assertThat(sql.texts("select action from tasker.operator_actions order by acted_at"))
        .containsExactly("create_schedule",
            "pause_schedule",
            "resume_schedule");
  }

  @Test
  void a_resume_with_catch_up_leaves_it_to_the_window() {
    UUID schedule = schedule(
        DAILY + ", \"catch_up\": \"all\", \"overlap\": \"allow\", \"catch_up_seconds\": 93600");
    change(schedule, "pause", "{}", at("10 01:00:00"));
    change(schedule, "resume", "{\"version\": 2, \"catch_up\": true}", at("12 05:00:00"));
    desk.run(at("12 05:00:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule missed window 1",
        "01-11 03:00:00 schedule started",
        "01-12 03:00:00 schedule started");
  }

  private JsonObject change(UUID schedule, String action, String data, Instant now) {
    return sql.object("select tasker.change_schedule(?, ?, 'ann', 'test', ?::jsonb, ?)", schedule,
        action, data, now);
  }

  private JsonObject save(UUID schedule, int version, String changes, Instant now) {
    String old = sql.text(
        "select (to_jsonb(s) || jsonb_build_object('namespace', s.namespace_name))::text from tasker.schedules s "
            + "where schedule_uuid = ?",
        schedule);
    return sql.object("select tasker.save_schedule(?::jsonb || ?::jsonb, 'ann', 'test', ?, ?, ?)",
        old, changes, schedule, version, now);
  }

  @Test
  void a_change_needs_the_version_that_its_author_saw() {
    UUID schedule = schedule(DAILY);
    assertThat(save(schedule, 1, "{\"overlap\": \"allow\"}", START).getInt("version")).isEqualTo(2);
    assertThat(save(schedule, 1, "{\"overlap\": \"skip\"}", START).getString("code"))
        .isEqualTo("schedule-version-changed");
    assertThat(save(schedule, 2, "{\"overlap\": \"allow\"}", START).getString("outcome"))
        .isEqualTo("unchanged");
    assertThat(sql.text(
        "select details #>> '{before,overlap}' from tasker.operator_actions where action = 'update_schedule'"))
        .isEqualTo("skip");
  }

  @Test
  void a_change_of_anything_but_the_timing_keeps_the_cursor() {
    UUID schedule = schedule(DAILY);
    save(schedule, 1,
        "{\"overlap\": \"allow\", \"next_fire_at\": \"2026-02-01T03:00:00Z\", \"next_due_at\": \"2026-02-01T03:00:00Z\"}",
        at("10 04:00:00"));
    assertThat(next(schedule)).as("it was due already and is not lost")
        .isEqualTo(at("10 03:00:00"));
    desk.run(at("10 04:00:00"));
    assertThat(times(schedule)).containsExactly("01-10 03:00:00");
  }

  @Test
  void a_change_of_the_timing_fires_nothing_at_the_old_times_and_records_what_was_due() {
    UUID schedule = schedule(DAILY);
    save(schedule, 1,
        "{\"cron\": \"0 5 * * *\", \"next_fire_at\": \"2026-01-10T05:00:00Z\", \"next_due_at\": \"2026-01-10T05:00:00Z\"}",
        at("10 04:00:00"));
    desk.run(at("10 04:30:00"));
    desk.run(at("10 05:00:00"));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule missed changed",
        "01-10 05:00:00 schedule started");
  }

  @Test
  void a_name_is_taken_until_its_schedule_is_deleted() {
    UUID schedule = schedule(DAILY);
    assertThatThrownBy(() -> schedule(DAILY)).isInstanceOf(NullPointerException.class);
    change(schedule, "delete", "{}", START);
    schedule(DAILY);
    desk.run(at("10 03:00:00"));
    assertThat(desk.fires(schedule)).isEmpty();
    assertThat(
        sql.text("select tasker.change_schedule(?, 'delete', 'ann', 'x') ->> 'code'", schedule))
        .isEqualTo("schedule-not-found");
  }

  @Test
  void a_trigger_starts_one_task_now_and_leaves_the_cursor() {
    UUID schedule = schedule(DAILY);
    desk.run(at("10 03:00:00"));
    JsonObject reply = sql.object("select tasker.trigger_schedule(?, 'ann', 'test', '{}', null, ?)",
        schedule, at("10 08:00:00"));
    JsonObject again = sql.object("select tasker.trigger_schedule(?, 'ann', 'test', '{}', null, ?)",
        schedule, at("10 08:00:00"));
    assertThat(reply.getString("outcome")).isEqualTo("started");
    assertThat(again.getJsonObject("fire").getString("task_uuid"))
        .isNotEqualTo(reply.getJsonObject("fire").getString("task_uuid"));
    assertThat(next(schedule)).isEqualTo(at("11 03:00:00"));
    assertThat(desk.fires(schedule)).contains("01-10 08:00:00 trigger started");
    assertThatHistoryIsSound();
  }

  @Test
  void a_backfill_starts_what_has_no_task_in_its_period_and_passes_the_rest() {
    UUID schedule = schedule(DAILY);
    desk.run(at("10 03:00:00"));
    finishAll();
    desk.run(at("13 03:00:00"));
    finishAll();
    sql.object("select tasker.start_backfill(?, ?, ?, 'allow', 'ann', 'test', ?)", schedule,
        at("09 03:00:00"), at("13 03:00:00"), at("13 04:00:00"));
    desk.run(at("13 04:00:00"));

    assertThat(times(schedule)).containsExactly("01-09 03:00:00", "01-10 03:00:00",
        "01-11 03:00:00", "01-12 03:00:00", "01-13 03:00:00");
    JsonObject backfill = sql.array("select tasker.get_backfill_documents(?)", schedule)
        .getJsonObject(0);
    assertThat(backfill.getString("state")).isEqualTo("complete");
    assertThat(backfill.getInt("started")).isEqualTo(3);
    assertThat(backfill.getInt("present")).isEqualTo(1);
    assertThat(next(schedule)).isEqualTo(at("14 03:00:00"));
    assertThatHistoryIsSound();
  }

  @Test
  void a_backfill_one_by_one_waits_for_each_task_and_can_be_cancelled() {
    UUID schedule = schedule(DAILY);
    change(schedule, "pause", "{}", START);
    String backfill = sql
        .object("select tasker.start_backfill(?, ?, ?, 'one_by_one', 'ann', 'test', ?)", schedule,
            at("01 00:00:00"), at("05 00:00:00"), START)
        .getString("backfill_uuid");
    desk.run(START);
    assertThat(times(schedule)).containsExactly("01-01 03:00:00");
    desk.run(START.plusSeconds(60));
    assertThat(times(schedule)).hasSize(1);
    finishAll();
    desk.run(START.plusSeconds(120));
    assertThat(times(schedule)).containsExactly("01-01 03:00:00", "01-02 03:00:00");
    change(schedule, "cancel_backfill", "{\"backfill_uuid\": \"" + backfill + "\"}",
        START.plusSeconds(130));
    finishAll();
    desk.run(START.plusSeconds(300));
    assertThat(times(schedule)).hasSize(2);
    assertThat(sql.text("select state from tasker.schedule_backfills")).isEqualTo("cancelled");
  }

  @Test
  void a_backfill_of_the_future_or_of_nothing_is_refused() {
    UUID schedule = schedule(DAILY);
    for (String period : List.of("2026-01-01T00:00:00Z/2026-02-01T00:00:00Z",
        "2026-01-02T00:00:00Z/2026-01-02T00:00:00Z")) {
      assertThat(sql.text(
          "select tasker.start_backfill(?, ?, ?, 'allow', 'ann', 'x', ?) ->> 'code'", schedule,
          Instant.parse(period.split("/")[0]), Instant.parse(period.split("/")[1]), START))
          .isEqualTo("invalid-request");
    }
  }

  private UUID server(String roles, Instant now) {
    UUID server = UUID.randomUUID();
    sql.object("select tasker.heartbeat(?, ?, ?, 0, 0, p_now => ?)", server, "host-" + server,
        roles, now);
    return server;
  }

  private List<String> taken(UUID server, Instant now) {
    return sql.texts(
        "select jsonb_path_query(tasker.take_due_schedules(100, ?, ?), '$.*[*].schedule_uuid') #>> '{}'",
        now, server);
  }

  /** A server takes what is due and declines it, as one does whose JVM does not know the zone. */
  private JsonObject decline(UUID schedule, UUID server, Instant now) {
    assertThat(taken(server, now)).contains(schedule.toString());
    return sql.object(
        "select tasker.decline_schedules(jsonb_build_array(jsonb_build_object('schedule_uuid', s.schedule_uuid, "
            + "'version', s.version, 'message', 'zone: is unknown')), ?, ?) from tasker.schedules s where s.schedule_uuid = ?",
        server, now, schedule);
  }

  private boolean isPaused(UUID schedule) {
    return sql.isTrue("select paused_at is not null from tasker.schedules where schedule_uuid = ?",
        schedule);
  }

  @Test
  void one_outdated_server_leaves_a_schedule_to_the_others() {
    UUID schedule = schedule(DAILY);
    Instant due = at("10 03:00:00");
    UUID outdated = server("api,orchestrator,worker", due);
    UUID current = server("orchestrator", due);

    JsonObject reply = decline(schedule, outdated, due);
    assertThat(reply.getInt("declined")).isEqualTo(1);
    assertThat(reply.getJsonArray("stopped")).isEmpty();
    assertThat(isPaused(schedule)).isFalse();
    assertThat(taken(outdated, due.plusSeconds(29))).as("it is the turn of the others").isEmpty();
    assertThat(
        sql.object("select tasker.take_due_schedules(100, ?, ?)", due.plusSeconds(10), outdated)
            .getInt("next_wake_in_ms"))
        .isEqualTo(20_000);
    assertThat(taken(current, due)).containsExactly(schedule.toString());
    desk.run(due);
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started");
    assertThat(taken(outdated, at("11 03:00:29"))).as("at the next fire time too").isEmpty();
    assertThat(
        sql.object("select tasker.take_due_schedules(100, ?, ?)", at("11 02:59:50"), outdated)
            .getInt("next_wake_in_ms"))
        .isEqualTo(40_000);
    assertThat(sql.object("select tasker.get_schedule_figures()").getInt("failing")).isZero();
  }

  @Test
  void what_most_servers_cannot_fire_is_paused_and_shows_as_failing_with_the_reason() {
    UUID schedule = schedule(DAILY);
    UUID other = schedule(DAILY + ", \"name\": \"other\"");
    Instant due = at("10 03:00:00");
    UUID first = server("orchestrator", due);
    UUID second = server("orchestrator", due);
    server("orchestrator", due);
    server("worker", due);

    decline(schedule, first, due);
    JsonObject reply = decline(schedule, second, due);
    String message = "2 of 3 servers cannot calculate its fire times: zone: is unknown";
    assertThat(reply.getJsonArray("stopped").getJsonObject(0).getString("message"))
        .isEqualTo(message);
    assertThat(sql.texts(
        "select paused_by || ': ' || pause_reason from tasker.schedules where paused_at is not null"))
        .containsExactly("tasker: " + message);
    JsonObject shown = sql.object("select tasker.get_schedule_documents('{\"failing\": true}')")
        .getJsonArray("schedules")
        .getJsonObject(0);
    assertThat(shown.getString("schedule_uuid")).isEqualTo(schedule.toString());
    assertThat(shown.getInt("failures_in_a_row")).isEqualTo(1);
    assertThat(shown.getInt("failed")).isEqualTo(1);
    assertThat(shown.getJsonObject("last_failure").getString("code")).isEqualTo("unusable-timing");
    assertThat(shown.getJsonObject("last_failure").getString("message")).isEqualTo(message);
    assertThat(sql.object("select tasker.get_schedule_figures()").getInt("failing")).isEqualTo(1);
    assertThat(desk.fires(schedule))
        .containsExactly("01-10 03:00:00 schedule failed unusable-timing");
    assertThat(sql.texts(
        "select name || ' ' || (data ->> 'code') from tasker.domain_events where cause_uuid = ? order by 1",
        schedule))
        .containsExactly("tasker.schedule.fire_failed unusable-timing",
            "tasker.schedule.paused unusable-timing");
    assertThat(sql.number(
        "select count(*) from tasker.operator_actions where action = 'pause_schedule' and acted_by = 'tasker'"))
        .isEqualTo(1);
    assertThat(isPaused(other)).isFalse();
    assertThatHistoryIsSound();
  }

  @Test
  void a_schedule_that_no_server_is_left_for_is_paused() {
    UUID schedule = schedule(DAILY);
    Instant due = at("10 03:00:00");
    UUID outdated = server("orchestrator", due);
    UUID current = server("orchestrator", due);
    decline(schedule, outdated, due);
    sql.object(
        "select tasker.heartbeat(?, 'host', 'orchestrator', 0, 0, p_now => ?, p_report => '{\"state\": \"stopped\"}')",
        current,
        due);
    assertThat(isPaused(schedule)).isFalse();

    Instant later = due.plusSeconds(30);
    server("worker", later);
    decline(schedule, outdated, later);
    assertThat(sql.text("select pause_reason from tasker.schedules")).startsWith("1 of 1 servers");
  }

  @Test
  void a_server_whose_first_heartbeat_is_to_come_counts_too() {
    UUID schedule = schedule(DAILY);
    decline(schedule, UUID.randomUUID(), at("10 03:00:00"));
    assertThat(isPaused(schedule)).isTrue();
    assertThat(sql.number("select count(*) from tasker.schedule_declines")).isZero();
  }

  @Test
  void a_decline_says_nothing_about_another_version() {
    UUID schedule = schedule(DAILY);
    Instant due = at("10 03:00:00");
    UUID outdated = server("orchestrator", due);
    server("orchestrator", due);
    decline(schedule, outdated, due);
    assertThat(sql.text(
        "select tasker.decline_schedules(jsonb_build_array(jsonb_build_object('schedule_uuid', ?::text, 'version', 7, "
            + "'message', 'x')), ?, ?) ->> 'declined'",
        schedule, UUID.randomUUID(), due)).isEqualTo("0");
    save(schedule, 1, "{\"overlap\": \"allow\"}", due);
    assertThat(taken(outdated, due)).containsExactly(schedule.toString());
    assertThat(sql.object("select tasker.get_schedule_documents()").getJsonArray("schedules")
        .getJsonObject(0).getJsonArray("declines"))
        .isEmpty();
  }

  @Test
  void the_servers_that_cannot_fire_a_schedule_are_shown_while_they_live() {
    UUID schedule = schedule(DAILY);
    UUID outdated = server("orchestrator", Instant.now());
    server("orchestrator", Instant.now());
    decline(schedule, outdated, Instant.now());
    String declines = "select jsonb_path_query_array(tasker.get_schedule_documents(), '$.schedules[*].declines[*].message')::text";
    assertThat(sql.text(declines)).isEqualTo("[\"zone: is unknown\"]");
    sql.run("update tasker.servers set lease_expires_at = now() - interval '1 second'");
    assertThat(sql.text(declines)).isEqualTo("[]");
  }

  @Test
  void a_backfill_that_most_servers_cannot_continue_fails_with_the_reason() {
    UUID schedule = schedule(DAILY);
    change(schedule, "pause", "{}", START);
    sql.object("select tasker.start_backfill(?, ?, ?, 'allow', 'ann', 'test', ?)", schedule,
        at("01 00:00:00"), at("05 00:00:00"), START);
    UUID outdated = server("orchestrator", START);
    UUID second = server("orchestrator", START);
    JsonObject reply = decline(schedule, outdated, START);
    assertThat(reply.getInt("failed_backfills")).isZero();
    assertThat(taken(outdated, START.plusSeconds(29))).isEmpty();
    reply = decline(schedule, second, START);
    assertThat(reply.getInt("failed_backfills")).isEqualTo(1);
    assertThat(
        sql.text("select state || ' ' || (failure ->> 'code') from tasker.schedule_backfills"))
        .isEqualTo("failed unusable-timing");
    assertThat(sql.text("select paused_by from tasker.schedules")).isEqualTo("ann");
    assertThat(desk.fires(schedule)).isEmpty();
  }

  @Test
  void a_fire_time_at_which_the_servers_declined_is_decided_again_after_a_resume() {
    UUID schedule = schedule(DAILY + ", \"overlap\": \"queue_one\", \"catch_up_seconds\": 864000");
    desk.run(at("10 03:00:00"));
    Instant due = at("11 03:00:00");
    decline(schedule, server("orchestrator", due), due);
    change(schedule, "resume", "{\"version\": 1, \"catch_up\": true}", due.plusSeconds(60));
    desk.run(due.plusSeconds(60));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule queued overlap");
    assertThatHistoryIsSound();
    finishAll();
    desk.run(due.plusSeconds(120));
    assertThat(desk.fires(schedule)).containsExactly("01-10 03:00:00 schedule started",
        "01-11 03:00:00 schedule started");
    assertThatHistoryIsSound();
    Instant next = at("12 03:00:00");
    decline(schedule, server("orchestrator", next), next);
    change(schedule, "resume", "{\"version\": 2, \"catch_up\": true}", next.plusSeconds(60));
    decline(schedule, server("orchestrator", next.plusSeconds(60)), next.plusSeconds(60));
    assertThat(sql
        .number("select count(*) from tasker.domain_events where name = 'tasker.schedule.paused'"))
        .as("a second pause at one fire time is told again").isEqualTo(3);
  }

  @Test
  void documents_are_found_by_page_and_by_namespace() {
    UUID first = schedule(DAILY);
    UUID second = schedule(DAILY + ", \"name\": \"other\"");
    JsonObject page = sql.object("select tasker.get_schedule_documents('{}', 1)");
    assertThat(page.getJsonArray("schedules").getJsonObject(0).getString("schedule_uuid"))
        .isEqualTo(second.toString());
    JsonObject next = sql.object("select tasker.get_schedule_documents('{}', 1, ?)",
        UUID.fromString(page.getString("next")));
    assertThat(next.getJsonArray("schedules").getJsonObject(0).getString("schedule_uuid"))
        .isEqualTo(first.toString());
    assertThat(next.isNull("next")).isTrue();
    assertThat(
        sql.object("select tasker.get_schedule_documents('{\"namespaces\": [\"elsewhere\"]}')")
            .getJsonArray("schedules"))
        .isEmpty();
    desk.run(at("10 03:00:00"));
    assertThat(sql.text("select tasker.list_schedule_fires(?) #>> '{fires,0,outcome}'", first))
        .isEqualTo("started");
    assertThat(sql.text(
        "select tasker.find_started_fires(?, '[\"2026-01-10T03:00:00Z\", \"2026-01-11T03:00:00Z\"]')::text",
        first))
        .isEqualTo("[\"2026-01-10T03:00:00+00:00\"]");
  }
}
