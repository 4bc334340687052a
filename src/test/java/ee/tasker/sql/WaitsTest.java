package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.TestDatabase;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps that wait for a time, and tasks that start later. */
@DatabaseTest
@DatabaseTest.Covers({"pass_waits", "calculate_wait_end", "cancel_waits", "has_open_wait",
  "parse_instant", "find_wait_violations"})
class WaitsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  /** a → sleep, which has no handler → b. */
  private static Dag sleeping(String wait) {
    return Dag.of("a").step("sleep").dependsOn("a").waitingOnly("{\"wait\": " + wait + "}")
        .step("b").dependsOn("sleep");
  }

  private static Dag sleepingFor(String duration) {
    return sleeping("{\"for\": \"" + duration + "\"}");
  }

  private Instant due(Dag.Task task) {
    return sql.instant(
        "select due_at from tasker.step_waits where task_uuid = ? and state = 'open'", task.uuid());
  }

  private List<String> waits(Dag.Task task) {
    return sql.texts(
        "select state from tasker.step_waits where task_uuid = ? order by armed_at, wait_uuid",
        task.uuid());
  }

  private JsonObject result(Dag.Task task, String step, String column) {
    return sql.object("select r." + column
        + " from tasker.workflow_steps s join tasker.workflow_step_result_audit r "
        + "on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step(step));
  }

  /** Moves everything that the task waits for into the past, as if that much time had gone by. */
  private void pass(Dag.Task task, Duration time) {
    sql.run(
        "update tasker.step_waits set armed_at = armed_at - ?::interval, due_at = due_at - ?::interval where task_uuid = ? and state = 'open'",
        time.toString(), time.toString(), task.uuid());
    sql.run("update tasker.task_wakeups set wake_at = wake_at - ?::interval where task_uuid = ?",
        time.toString(), task.uuid());
  }

  private Dag.Task asleep(Dag dag) {
    Dag.Task task = dag.started();
    worker.complete(worker.claimOne().success());
    return task;
  }

  @Test
  void an_instant_is_of_the_years_1_to_9999_after_it_has_been_rounded() {
    assertThat(sql.texts("""
        select v || ' ' || coalesce((tasker.parse_instant(to_jsonb(v)) at time zone 'UTC')::text, '-') from unnest(array[
          '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00',
          '0001-01-01T00:00:00Z']) v"""))
        .containsExactly("9999-12-31T23:59:59.999999Z 9999-12-31 23:59:59.999999",
            "9999-12-31T23:59:59.9999999Z -",
            "9999-12-31T23:59:59-01:00 -", "0001-01-01T00:00:00+01:00 -",
            "0001-01-01T00:00:00Z 0001-01-01 00:00:00");
  }

  @Test
  void a_step_that_waits_stays_pending_and_its_task_rests_until_the_timer_is_due() {
    Dag.Task task = asleep(sleepingFor("PT3H"));

    assertThatStep(task.step("sleep")).isIn("pending").waitsForParents(0);
    assertThatTask(task).isIn("waiting_for_dependencies").counts(2, 0, 0, 0)
        .isLookedAtAbout(Instant.now().plus(3, ChronoUnit.HOURS));
    assertThat(worker.advance().getInt("tasks")).isZero();
    assertThat(
        sql.isTrue("select bool_or(ready_for_execution) from tasker.get_step_readiness_status(?)",
            task.uuid()))
        .isFalse();
    assertThat(sql.text("select tasker.diagnose_task(?)", task.uuid()))
        .startsWith("Step sleep waits until ");
    assertThatHistoryIsSound();
  }

  @Test
  void a_timer_completes_its_step_by_itself_and_its_result_says_when() {
    Dag.Task task = asleep(sleepingFor("PT3H"));
    pass(task, Duration.ofHours(3));
    worker.advance();

    assertThatStep(task.step("sleep")).isIn("complete").hasHandoffs(0).went("pending", "complete");
    JsonObject result = result(task, "sleep", "result");
    assertThat(result).containsOnlyKeys("due_at", "fired_at");
    assertThat(java.time.OffsetDateTime.parse(result.getString("fired_at")))
        .isAfterOrEqualTo(java.time.OffsetDateTime.parse(result.getString("due_at")));
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0).hasNoWakeUp();
    assertThat(waits(task)).containsExactly("satisfied");
    assertThatHistoryIsSound();
  }

  @Test
  void a_timer_never_fires_early_however_often_its_task_is_evaluated() {
    Dag.Task task = asleep(sleepingFor("PT1H"));
    Instant due = due(task);
    for (Instant now : List.of(Instant.EPOCH, due.minusSeconds(3600), due.minusMillis(1))) {
      sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), now);
      assertThatStep(task.step("sleep")).isIn("pending");
      assertThat(waits(task)).containsExactly("open");
    }
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), due);
    assertThatStep(task.step("sleep")).isIn("complete");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"PT0S", "PT1S", "PT29S", "PT30S", "PT31S", "PT59S", "PT60S", "PT61S", "PT1H",
        "P25D", "P50D", "P400D", "PT0.250S"})
  void a_duration_is_an_offset_from_when_the_parents_were_done(String duration) {
    Instant before = Instant.now();
    Dag.Task task = asleep(sleepingFor(duration));

    Instant due = sql.instant("select due_at from tasker.step_waits where task_uuid = ?",
        task.uuid());
    java.time.Period period = java.time.Period.ZERO;
    Duration expected = Duration.parse(duration);
    assertThat(due).isCloseTo(before.plus(period).plus(expected), within(10, ChronoUnit.SECONDS));
    assertThat(waits(task)).containsExactly(expected.isZero() ? "satisfied" : "open");
  }

  @Test
  void a_month_is_one_of_the_calendar() {
    Dag.Task task = asleep(sleepingFor("P1M"));

    Instant armed = sql.instant("select armed_at from tasker.step_waits where task_uuid = ?",
        task.uuid());
    assertThat(due(task)).isEqualTo(armed.atZone(ZoneOffset.UTC).plusMonths(1).toInstant());
  }

  @Test
  void a_step_without_parents_waits_from_the_submission_on() {
    Dag.Task task = Dag.of("sleep").waitingOnly("{\"wait\": {\"for\": \"PT1M\"}}").step("b")
        .dependsOn("sleep").started();

    assertThatTask(task).isIn("waiting_for_dependencies").went("initializing",
        "waiting_for_dependencies");
    assertThat(waits(task)).containsExactly("open");
    pass(task, Duration.ofMinutes(1));
    worker.advance();
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_of_nothing_but_a_timer_ends_with_it() {
    Dag.Task task = Dag.of("sleep").waitingOnly("{\"wait\": {\"for\": \"PT0S\"}}").started();

    assertThatTask(task).isIn("complete").hasNoWakeUp();
    assertThatHistoryIsSound();
  }

  @Test
  void a_handler_runs_after_its_wait_and_sees_it_among_its_inputs() {
    Dag.Task task = Dag.of("sleep").waiting("{\"wait\": {\"for\": \"PT1H\"}}").started();
    assertThat(worker.claim(1)).isEmpty();
    pass(task, Duration.ofHours(1));
    worker.advance();

    JsonObject inputs = sql.object("select tasker.get_claimed_steps(array[?])->0->'inputs'",
        worker.claimOne().step());
    assertThat(inputs.getJsonObject("wait").getString("kind")).isEqualTo("timer");
    assertThat(inputs.getJsonObject("wait").getString("state")).isEqualTo("satisfied");
    assertThat(inputs.getJsonObject("wait").getJsonObject("value")).containsOnlyKeys("due_at",
        "fired_at");
    assertThatStep(task.step("sleep")).isIn("in_progress").hasHandoffs(1);
    assertThatHistoryIsSound();
  }

  @Test
  void a_failed_handler_is_retried_without_waiting_again() {
    Dag.Task task = Dag.of("sleep").waiting("{\"wait\": {\"for\": \"PT1H\"}}").started();
    pass(task, Duration.ofHours(1));
    worker.advance();
    worker.complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures");
    new Operator().step(task, "sleep", "reset_for_retry");

    assertThatStep(task.step("sleep")).isIn("enqueued");
    assertThat(waits(task)).containsExactly("satisfied");
    assertThatHistoryIsSound();
  }

  @Test
  void until_takes_an_instant_of_the_context_and_one_that_is_past_fires_at_once() {
    Instant at = Instant.now().plus(2, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);
    Dag dag = sleeping("{\"until\": \"$.context.at\"}");
    Dag.Task later = asleep(
        dag.context("{\"at\": \"" + at.atOffset(ZoneOffset.ofHours(2)) + "\"}"));
    assertThat(due(later)).isEqualTo(at);

    Dag.Task past = asleep(dag.context("{\"at\": \"2001-02-03T04:05:06Z\"}"));
    assertThatStep(past.step("sleep")).isIn("complete");
    assertThatStep(past.step("b")).isIn("enqueued");
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"2027-01-31T12:00:00\"", "\"2027-02-30T12:00:00Z\"", "\"soon\"", "17",
    "null", "\"infinity\"",
    "\"2999-01-01T00:00:00Z\"", "[\"2027-01-31T12:00:00Z\", 1]"})
  void until_without_an_instant_is_a_permanent_error_of_the_step(String value) {
    Dag.Task task = asleep(
        sleeping("{\"until\": \"$.context.at[*]\"}").context("{\"at\": " + value + "}"));

    assertThatStep(task.step("sleep")).isIn("error");
    assertThat(result(task, "sleep", "error").getString("type")).isEqualTo("expression_error");
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
    assertThat(waits(task)).isEmpty();
    assertThatHistoryIsSound();
  }

  @Test
  void a_wait_beside_steps_that_run_wakes_its_task_in_time() {
    Dag.Task task = Dag.of("a").step("other").step("sleep").dependsOn("a")
        .waitingOnly("{\"wait\": {\"for\": \"PT2S\"}}").started();
    worker.complete(worker.claim(2).stream().filter(claim -> claim.step().equals(task.step("a")))
        .findAny().orElseThrow().success());

    assertThatTask(task).isIn("steps_in_process");
    assertThat(
        sql.isTrue(
            "select w.wake_at <= v.due_at from tasker.task_wakeups w join tasker.step_waits v using (task_uuid) where task_uuid = ?",
            task.uuid()))
        .isTrue();
  }

  @Test
  void a_completion_beside_a_timer_that_is_due_does_not_postpone_it() {
    Dag.Task task = Dag.of("a").step("t").dependsOn("a")
        .waitingOnly("{\"wait\": {\"for\": \"PT10M\"}}").step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().success());
    SqlWorker.Claim beside = worker.claimOne();
    Instant due = sql.instant(
        "select due_at from tasker.step_waits where task_uuid = ? and state = 'open'", task.uuid());
    try (SqlWorker late = SqlWorker.open()) {
      late.at(due.plusSeconds(5)).complete(beside.success());
    }
    assertThat(
        sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid()))
        .isBeforeOrEqualTo(due);
  }

  @Test
  void the_call_that_arms_a_wait_says_when_it_is_due() {
    sleepingFor("PT2S").started();

    JsonObject reply = worker.complete(worker.claimOne().success());
    assertThat(reply.getInt("next_retry_in_ms")).isBetween(1, 2000);
  }

  @Test
  void a_cancelled_task_has_no_open_wait_and_its_timer_does_not_fire() {
    Dag.Task task = asleep(sleepingFor("PT1H"));
    Instant due = due(task);
    sql.object("select tasker.request_cancel(?, 'ann', 'test')", task.uuid());

    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
    assertThat(waits(task)).containsExactly("cancelled");
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), due);
    assertThatStep(task.step("sleep")).isIn("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void an_operator_passes_a_wait_and_the_result_he_gives_counts() {
    Dag.Task closed = asleep(sleepingFor("PT1H"));
    new Operator().step(closed, "sleep", "resolve_manually");
    assertThatStep(closed.step("b")).isIn("enqueued");
    assertThat(waits(closed)).containsExactly("cancelled");

    Dag.Task completed = asleep2(sleepingFor("PT1H"));
    new Operator().step(completed, "sleep", "complete_manually",
        "{\"result\": {\"by\": \"hand\"}}");
    assertThat(result(completed, "sleep", "result")).hasToString("{\"by\":\"hand\"}");
    assertThat(waits(completed)).containsExactly("cancelled");
    assertThatHistoryIsSound();
  }

  /** The same beside another task's step on the queue. */
  private Dag.Task asleep2(Dag dag) {
    Dag.Task task = dag.started();
    worker.complete(worker.claim(9).stream().filter(claim -> claim.task().equals(task.uuid()))
        .findAny().orElseThrow().success());
    return task;
  }

  @Test
  void a_timer_that_runs_again_waits_anew() {
    Dag.Task task = asleep(sleepingFor("PT1H"));
    pass(task, Duration.ofHours(1));
    worker.advance();
    assertThatStep(task.step("sleep")).isIn("complete");
    worker.complete(worker.claimOne().permanentFailure());
    new Operator().task(task, "retry_from_step",
        "{\"step\": \"sleep\", \"rerun_completed\": true}");

    assertThatStep(task.step("sleep")).isIn("pending");
    assertThat(waits(task)).containsExactly("satisfied", "open");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_waits_is_neither_stale_nor_past_its_sla() {
    Dag.Task task = asleep(
        sleepingFor("P400D").lifecycle("max_waiting_for_dependencies_minutes", 1).slaMinutes(1));
    // The clocks of the session change within the day after it, which has no 24 hours there.
    Instant later = ZoneId.of(TestDatabase.SESSION_ZONE).getRules().nextTransition(Instant.now())
        .getInstant().minus(1, ChronoUnit.HOURS);
    sql.run("update tasker.task_wakeups set wake_at = ? where task_uuid = ?", later, task.uuid());
    worker.at(later).advance();

    assertThatTask(task).isIn("waiting_for_dependencies");
    assertThat(sql.number("select count(*) from tasker.tasks_dlq")).isZero();
    assertThat(sql.isTrue("select sla_breached_at is null from tasker.tasks where task_uuid = ?",
        task.uuid())).isTrue();
    assertThat(
        sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid()))
        .isEqualTo(later.plus(1, ChronoUnit.DAYS));
  }

  @Test
  void max_duration_counts_while_a_task_waits() {
    Dag.Task task = asleep(sleepingFor("P400D").lifecycle("max_duration_minutes", 5)
        .lifecycle("staleness_action", "error"));
    worker.at(Instant.now().plus(6, ChronoUnit.MINUTES)).advance();

    assertThatTask(task).isIn("error").hasNoWakeUp();
    assertThat(waits(task)).containsExactly("cancelled");
  }

  @Test
  void a_paused_template_arms_and_ends_no_wait() {
    Dag dag = sleepingFor("PT1H");
    Dag.Task task = asleep(dag);
    new Operator().pause(task.template().namespace(), task.template().name());
    pass(task, Duration.ofHours(2));
    worker.advance();
    assertThat(waits(task)).containsExactly("open");
    assertThat(sql.isTrue("select wake_at > now() from tasker.task_wakeups where task_uuid = ?",
        task.uuid())).as("no idle rounds")
        .isTrue();

    new Operator().resume(task.template().namespace(), task.template().name());
    worker.advance();
    assertThatStep(task.step("b")).isIn("enqueued");
    assertThatHistoryIsSound();
  }

  private int round() {
    return sql.object("select tasker.advance_due_tasks(?, 100)", worker.uuid()).getInt("tasks");
  }

  @Test
  void ten_thousand_timers_of_one_moment_fire_in_bounded_rounds_the_earliest_first() {
    int tasks = 10_000;
    Dag dag = Dag.of("sleep").waitingOnly("{\"wait\": {\"for\": \"PT1H\"}}");
    for (int i = 0; i < tasks / 1000; i++) {
      dag.started(1000);
      // As servers do: a plan that was made for empty tables would go on reading whole ones.
      sql.text("select tasker.analyze_grown_tables()");
    }
    sql.run(
        "update tasker.step_waits v set due_at = n.due_at from (select wait_uuid, now() - interval '1 second' + row_number() over (order by wait_uuid) * interval '1 microsecond' "
            + "as due_at from tasker.step_waits) n where n.wait_uuid = v.wait_uuid");
    sql.run("update tasker.step_waits set armed_at = due_at - interval '1 hour'");
    sql.run(
        "update tasker.task_wakeups w set wake_at = v.due_at from tasker.step_waits v where v.task_uuid = w.task_uuid");
    assertThat(round()).isEqualTo(100);
    assertThat(sql
        .isTrue(
            "select max(due_at) filter (where state = 'satisfied') < min(due_at) filter (where state = 'open') from tasker.step_waits"))
        .isTrue();
    assertThat(sql.number("select count(*) from tasker.step_waits where state = 'satisfied'"))
        .isEqualTo(100);
    int rounds = 1;
    while (round() > 0) {
      rounds++;
    }
    assertThat(rounds).isEqualTo(tasks / 100);
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(tasks);
    assertThatHistoryIsSound();
  }

  @Test
  void two_servers_fire_a_timer_once() {
    Dag.Task task = asleep(sleepingFor("PT1H"));
    pass(task, Duration.ofHours(1));
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      SqlWorker.in(first).advance();
      assertThat(SqlWorker.in(second).advance().getInt("tasks")).as("the first has the task")
          .isZero();
      var late = second
          .later(s -> s.object("select tasker.evaluate_tasks(array[?], null)", task.uuid()))
          .untilItWaits();
      first.commit();
      late.get();
      second.commit();
    }
    assertThatStep(task.step("sleep")).went("pending", "complete");
    assertThat(waits(task)).containsExactly("satisfied");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_that_is_first_keeps_the_timer_from_firing() {
    Dag.Task task = asleep(sleepingFor("PT1H"));
    pass(task, Duration.ofHours(1));
    try (Sql cancel = Sql.session(); Sql fire = Sql.session()) {
      cancel.object("select tasker.request_cancel(?, 'ann', 'test')", task.uuid());
      var fired = fire
          .later(s -> s.object("select tasker.evaluate_tasks(array[?], null)", task.uuid()))
          .untilItWaits();
      cancel.commit();
      fired.get();
      fire.commit();
    }
    assertThatTask(task).isIn("cancelled");
    assertThat(waits(task)).containsExactly("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_that_comes_second_finds_the_timer_fired() {
    Dag.Task task = asleep(sleepingFor("PT1H"));
    pass(task, Duration.ofHours(1));
    try (Sql cancel = Sql.session(); Sql fire = Sql.session()) {
      fire.object("select tasker.evaluate_tasks(array[?], null)", task.uuid());
      var asked = cancel
          .later(s -> s.object("select tasker.request_cancel(?, 'ann', 'test')", task.uuid()))
          .untilItWaits();
      fire.commit();
      asked.get();
      cancel.commit();
    }
    assertThatStep(task.step("sleep")).isIn("complete");
    assertThatTask(task).isIn("cancelled");
    assertThat(waits(task)).containsExactly("satisfied");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_starts_when_its_request_says() {
    Dag.Task task = Dag.linear(2)
        .option("start_at", Instant.now().plus(1, ChronoUnit.HOURS).toString()).started();

    assertThatTask(task).isIn("pending").isLookedAtAbout(Instant.now().plus(1, ChronoUnit.HOURS));
    assertThat(worker.claim(1)).isEmpty();
    sql.object("select tasker.evaluate_tasks(array[?], null)", task.uuid());
    assertThatTask(task).isIn("pending");
    assertThat(sql.text("select tasker.diagnose_task(?)", task.uuid()))
        .startsWith("Step s1 waits for the start of the task at ");
    assertThat(
        sql.isTrue("select bool_or(ready_for_execution) from tasker.get_step_readiness_status(?)",
            task.uuid()))
        .isFalse();
    assertThatHistoryIsSound();

    worker.at(Instant.now().plus(1, ChronoUnit.HOURS)).advance();
    assertThatTask(task).isIn("steps_in_process");
    assertThatStep(task.step("s1")).isIn("enqueued");
  }

  @Test
  void a_delay_in_seconds_and_a_start_in_the_past() {
    assertThatTask(Dag.linear(1).option("start_at", "2001-01-01T00:00:00Z").started())
        .isIn("steps_in_process");
    assertThatTask(Dag.linear(1).optionNumber("delay_seconds", 0).started())
        .isIn("steps_in_process");
    Dag.Task delayed = Dag.linear(1).optionNumber("delay_seconds", 90).started();
    assertThatTask(delayed).isIn("pending").isLookedAtAbout(Instant.now().plusSeconds(90));
    sql.object("select tasker.request_cancel(?, 'ann', 'test')", delayed.uuid());
    assertThatTask(delayed).isIn("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_delayed_start_is_no_part_of_the_identity() {
    Dag dag = Dag.linear(1).identity("strict").context("{\"n\": 1}");
    Dag.Task first = dag.option("start_at", Instant.now().plus(1, ChronoUnit.HOURS).toString())
        .started();
    Dag.Template template = dag.registered();

    JsonObject verdict = sql
        .object("select tasker.submit_tasks(?)", jakarta.json.Json.createArrayBuilder().add(
            dag.option("start_at", Instant.now().plus(9, ChronoUnit.HOURS).toString())
                .request(template))
            .build())
        .getJsonArray("verdicts").getJsonObject(0);
    assertThat(verdict.getString("verdict")).isEqualTo("duplicate");
    assertThat(verdict.getString("task_uuid")).isEqualTo(first.uuid().toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"start_at\": \"tomorrow\"}", "{\"start_at\": 5}",
    "{\"start_at\": \"2027-01-01T00:00:00\"}",
    "{\"start_at\": \"2999-01-01T00:00:00Z\"}",
    "{\"delay_seconds\": -1}", "{\"delay_seconds\": 1.5}", "{\"delay_seconds\": \"5\"}",
    "{\"delay_seconds\": 999999999}",
    "{\"delay_seconds\": 5, \"start_at\": \"2027-01-01T00:00:00Z\"}"})
  void a_start_that_is_no_time_is_refused(String options) {
    Dag dag = Dag.linear(1);
    JsonObject verdict = sql
        .object("select tasker.submit_tasks(jsonb_build_array(?::jsonb || ?::jsonb))",
            dag.request(dag.registered()), options)
        .getJsonArray("verdicts").getJsonObject(0);

    assertThat(verdict.getString("verdict")).isEqualTo("invalid");
    assertThat(verdict.getString("field")).isIn("start_at", "delay_seconds");
    assertThat(sql.number("select count(*) from tasker.tasks")).isZero();
  }

  @Test
  void waits_go_with_their_task() {
    Dag.Task task = asleep(sleepingFor("PT0S"));
    worker.complete(worker.claimOne().success());
    sql.text("select tasker.roll_up_analytics()");
    sql.run("select tasker.purge_tasks(array[?])", task.uuid());
    assertThat(sql.number("select count(*) from tasker.tasks")).isZero();
    assertThat(waits(task)).isEmpty();
  }

  @Test
  void the_history_tells_when_a_wait_was_armed_and_how_it_ended() {
    Dag.Task task = asleep(sleepingFor("PT0S"));

    assertThat(sql.texts(
        "select concat_ws(' ', e->>'kind', e->>'step', e->>'wait', e->>'outcome') from jsonb_array_elements(tasker.get_task_history(?)) e "
            + "where e->>'kind' like 'wait%'",
        task.uuid())).containsExactly("wait_armed sleep timer", "wait_ended sleep timer satisfied");
  }
}
