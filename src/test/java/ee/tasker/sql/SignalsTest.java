package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Signals: kept until a step waits for them, consumed once, in time or too late. */
@DatabaseTest
@DatabaseTest.Covers({"send_signals", "send_signal", "find_signal_targets", "get_signal_schema",
  "get_signal_documents", "pass_waits"})
class SignalsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  /** a → pay, which has no handler and waits for a signal → ship. */
  private static Dag paid(String more) {
    return Dag.of("a").step("pay").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"payment\"" + more + "}}").step("ship")
        .dependsOn("pay");
  }

  private Dag.Task waiting(Dag dag) {
    Dag.Task task = dag.started();
    worker.complete(
        worker.claim(99).stream().filter(claim -> claim.task().equals(task.uuid())).findAny()
            .orElseThrow().success());
    return task;
  }

  private static JsonObject send(Sql session, Dag.Task task, String payload, String id) {
    return session.object(
        "select tasker.send_signals(array[?], 'payment', ?::jsonb, ?) #> '{signals,0}'",
        task.uuid(), payload, id);
  }

  private JsonObject send(Dag.Task task, String payload) {
    return send(sql, task, payload, null);
  }

  private String result(Dag.Task task) {
    return sql.text(
        "select r.result::text from tasker.workflow_steps s join tasker.workflow_step_result_audit r "
            + "on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step("pay"));
  }

  private List<String> waits(Dag.Task task) {
    return sql.texts(
        "select state from tasker.step_waits where task_uuid = ? order by armed_at, wait_uuid",
        task.uuid());
  }

  private Instant due(Dag.Task task) {
    return sql.instant(
        "select due_at from tasker.step_waits where task_uuid = ? and state = 'open'", task.uuid());
  }

  private void evaluate(Dag.Task task, Instant now) {
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), now);
  }

  @Test
  void a_signal_completes_the_step_that_waits_and_is_its_result() {
    Dag.Task task = waiting(paid(""));
    assertThat(sql.text("select tasker.diagnose_task(?)", task.uuid()))
        .contains("Step pay has been waiting since")
        .contains("for signal payment");

    JsonObject answer = send(task, "{\"amount\": 12}");
    assertThat(answer.getString("outcome")).isEqualTo("accepted");
    assertThat(answer.getBoolean("is_consumed")).isTrue();
    assertThat(answer.getInt("number")).isEqualTo(1);
    assertThat(result(task)).isEqualTo("{\"amount\": 12}");
    assertThatStep(task.step("ship")).isIn("enqueued");
    assertThat(waits(task)).containsExactly("satisfied");
    assertThatHistoryIsSound();
  }

  @Test
  void an_early_signal_is_kept_for_the_step_that_will_wait() {
    Dag.Task task = paid("").started();
    assertThat(send(task, "1").getBoolean("is_consumed")).isFalse();
    worker.complete(worker.claimOne().success());

    assertThat(result(task)).isEqualTo("1");
    assertThatStep(task.step("ship")).isIn("enqueued");
    assertThatHistoryIsSound();
  }

  @Test
  void a_signal_reaches_a_task_that_has_not_started() {
    Dag.Task task = Dag.of("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .option("start_at", Instant.now().plusSeconds(3600).toString())
        .started();
    assertThat(send(task, "7").getBoolean("is_consumed")).isFalse();
    evaluate(task, Instant.now().plusSeconds(3601));

    assertThatTask(task).isIn("complete");
    assertThat(result(task)).isEqualTo("7");
  }

  @Test
  void steps_take_the_signals_of_a_name_in_the_order_of_arrival_and_each_once() {
    Dag.Task task = Dag.of("a").step("pay").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .step("again").dependsOn("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .step("other").dependsOn("again").waitingOnly("{\"signal\": {\"name\": \"other\"}}")
        .started();
    sql.object("select tasker.send_signals(array[?], 'other', '0')", task.uuid());
    for (int i = 1; i <= 3; i++) {
      send(task, "" + i);
    }
    worker.complete(worker.claimOne().success());

    assertThatTask(task).isIn("complete");
    assertThat(sql
        .texts("select concat_ws(' ', e->>'number', e->>'name', e->>'payload', e->>'consumed_by') "
            + "from jsonb_array_elements(tasker.get_signal_documents(?, true)) e", task.uuid()))
        .containsExactly("1 other 0 other", "2 payment 1 pay", "3 payment 2 again", "4 payment 3");
    assertThat(sql.text("select tasker.get_signal_documents(?)::text", task.uuid()))
        .doesNotContain("payload");
    assertThatHistoryIsSound();
  }

  @Test
  void a_signal_with_an_id_counts_once() {
    Dag.Task task = paid("").started();
    String first = send(sql, task, "{\"a\": 1, \"b\": 2}", "p-1").getString("signal_uuid");
    JsonObject second = send(sql, task, "{\"b\": 2, \"a\": 1}", "p-1");
    JsonObject other = send(sql, task, "{\"a\": 3}", "p-1");

    assertThat(second.getString("outcome")).isEqualTo("duplicate");
    assertThat(second.getString("signal_uuid")).isEqualTo(first);
    assertThat(other.getString("code")).isEqualTo("signal-id-taken");
    assertThat(sql.number("select count(*) from tasker.task_signals")).isEqualTo(1);
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete");
    assertThat(send(sql, task, "{\"a\": 1, \"b\": 2}", "p-1").getString("outcome"))
        .as("also after the end").isEqualTo("duplicate");
    assertThatHistoryIsSound();
  }

  @Test
  void what_a_task_cannot_take_is_refused_and_changes_nothing() {
    Dag.Task task = waiting(paid(", \"schema\": {\"type\": \"object\"}"));
    Dag.Task ended = Dag.of("a").step("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .started();
    sql.object("select tasker.request_cancel(?, 'ann', 'test', 'allow_finish')", ended.uuid());

    assertThat(send(task, "{}").getString("code")).isEqualTo("payload-not-checked");
    assertThat(send(ended, "{}").getString("code")).isIn("task-already-ended",
        "task-is-being-cancelled");
    assertThat(sql.text("select tasker.send_signals(array[?], 'pay', '{}') #>> '{signals,0,code}'",
        task.uuid()))
        .isEqualTo("signal-not-known");
    assertThat(sql.text(
        "select tasker.send_signals(array[?], 'pay', '{}') #>> '{signals,0,message}'", task.uuid()))
        .endsWith("known are payment");
    assertThat(
        sql.text("select tasker.send_signals(array[?], 'payment', '{}') #>> '{signals,0,code}'",
            UUID.randomUUID()))
        .isEqualTo("task-not-found");
    assertThat(sql.text("select tasker.send_signals(null, 'payment', '{}') #>> '{signals,0,code}'"))
        .isEqualTo("task-not-found");
    assertThat(
        sql.text("select tasker.send_signals(array[?], 'payment', null) #>> '{signals,0,field}'",
            task.uuid()))
        .isEqualTo("payload");
    assertThat(sql.text("select tasker.send_signals(array[?], ' ', '1') #>> '{signals,0,field}'",
        task.uuid())).isEqualTo("name");
    assertThat(
        sql.text("select tasker.send_signals(array[?], 'payment', '1', '') #>> '{signals,0,field}'",
            task.uuid()))
        .isEqualTo("signal_id");
    assertThat(
        sql.text(
            "select tasker.send_signals(array[?], 'payment', to_jsonb(repeat('x', 65535))) #>> '{signals,0,code}'",
            task.uuid()))
        .isEqualTo("payload-too-large");
    assertThat(sql.number("select count(*) from tasker.task_signals")).isZero();
    assertThatDatabaseRefuses("TK011",
        () -> sql.object("select tasker.send_signal(?, 'pay')", task.uuid()));
    assertThatDatabaseRefuses("TK007", () -> sql
        .object("select tasker.send_signal(?, 'payment', '1', '{\"id\": 1}')", task.uuid()));
    sql.object(
        "select tasker.send_signal(?, 'payment', '{}', '{\"payload_checked\": true, \"signal_id\": \"x\"}')",
        task.uuid());
    assertThatStep(task.step("pay")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_takes_ten_thousand_signals() {
    Dag.Task task = paid("").started();
    send(task, "0");
    sql.run(
        "insert into tasker.task_signals (task_uuid, name, number, sent_at, payload) select ?, 'payment', n, now(), '0' from generate_series(2, 10000) n",
        task.uuid());
    assertThat(send(task, "1").getString("code")).isEqualTo("too-many-signals");
  }

  @Test
  void a_wait_times_out_as_a_permanent_error() {
    Dag.Task task = waiting(paid(", \"timeout\": \"PT1H\""));
    Instant due = due(task);
    evaluate(task, due.minusMillis(1));
    assertThatStep(task.step("pay")).isIn("pending");
    evaluate(task, due);

    assertThatStep(task.step("pay")).isIn("error");
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
    assertThat(
        sql.text(
            "select r.error ->> 'type' from tasker.workflow_step_result_audit r where r.workflow_step_uuid = ?",
            task.step("pay")))
        .isEqualTo("wait_timed_out");
    assertThat(waits(task)).containsExactly("timed_out");
  }

  @Test
  void an_operator_arms_a_wait_anew_that_timed_out_and_a_late_signal_is_still_there() {
    Dag.Task task = waiting(paid(", \"timeout\": \"PT0S\""));
    worker.advance();
    assertThatStep(task.step("pay")).isIn("error");
    assertThat(send(task, "5").getBoolean("is_consumed")).isFalse();
    assertThatTask(task).isIn("blocked_by_failures");
    new Operator().step(task, "pay", "reset_for_retry");

    assertThat(result(task)).isEqualTo("5");
    assertThat(waits(task)).containsExactly("timed_out", "satisfied");
    assertThatHistoryIsSound();
  }

  @Test
  void a_wait_takes_its_default_when_no_signal_comes_in_time() {
    Dag.Task task = waiting(paid(", \"timeout\": \"PT0S\", \"on_timeout\": {\"paid\": false}"));
    worker.advance();

    assertThat(result(task)).isEqualTo("{\"paid\": false}");
    assertThat(waits(task)).containsExactly("defaulted");
    assertThatStep(task.step("ship")).isIn("enqueued");
    assertThatHistoryIsSound();
  }

  @Test
  void a_handler_gets_the_payload_or_the_default() {
    Dag dag = Dag.of("pay").waiting(
        "{\"signal\": {\"name\": \"payment\", \"timeout\": \"PT1H\", \"on_timeout\": \"none\"}}");
    Dag.Task first = dag.started();
    send(first, "{\"amount\": 12}");
    Dag.Task second = dag.started();
    evaluate(second, due(second));

    assertThat(
        sql.texts(
            "select d.inputs -> 'wait' ->> 'state' || ' ' || (d.inputs -> 'wait' ->> 'value') from tasker.workflow_step_documents d "
                + "join tasker.tasks t using (task_uuid) order by t.created_at"))
        .containsExactly("satisfied {\"amount\": 12}", "defaulted none");
    assertThatStep(first.step("pay")).isIn("enqueued");
    assertThatStep(second.step("pay")).isIn("enqueued");
  }

  @Test
  void a_signal_sent_in_time_wins_although_the_wait_is_overdue_and_one_sent_later_does_not() {
    Dag.Task inTime = waiting(paid(", \"timeout\": \"PT1H\""));
    Dag.Task late = waiting(paid(", \"timeout\": \"PT1H\""));
    Instant due = due(inTime);
    new Operator().pause(inTime.template().namespace(), inTime.template().name());
    sql.object("select tasker.send_signals(array[?], 'payment', '1', p_now => ?)", inTime.uuid(),
        due);
    sql.object("select tasker.send_signals(array[?], 'payment', '1', p_now => ?)", late.uuid(),
        due(late).plusMillis(1));
    new Operator().resume(inTime.template().namespace(), inTime.template().name());
    evaluate(inTime, due.plusSeconds(99));
    evaluate(late, due.plusSeconds(99));

    assertThatStep(inTime.step("pay")).isIn("complete");
    assertThatStep(late.step("pay")).isIn("error");
    assertThat(sql.number(
        "select count(*) from tasker.task_signals where task_uuid = ? and wait_uuid is null",
        late.uuid())).isEqualTo(1);
  }

  @Test
  void a_signal_and_the_last_parent_meet_in_both_orders() {
    Dag.Task task = paid("").started();
    try (Sql arm = Sql.session(); Sql wake = Sql.session()) {
      SqlWorker.in(arm).complete(worker.claimOne().success());
      var sent = wake.later(s -> send(s, task, "1", null)).untilItWaits();
      arm.commit();
      assertThat(sent.get().getBoolean("is_consumed")).isTrue();
      wake.commit();
    }
    assertThat(result(task)).isEqualTo("1");

    Dag.Task other = paid("").started();
    SqlWorker.Claim claim = worker.claim(9).stream().filter(c -> c.task().equals(other.uuid()))
        .findAny().orElseThrow();
    try (Sql arm = Sql.session(); Sql wake = Sql.session()) {
      assertThat(send(wake, other, "2", null).getBoolean("is_consumed")).isFalse();
      var armed = arm.later(s -> SqlWorker.in(s).complete(claim.success())).untilItWaits();
      wake.commit();
      armed.get();
      arm.commit();
    }
    assertThat(result(other)).isEqualTo("2");
    assertThatHistoryIsSound();
  }

  @Test
  void a_signal_and_the_time_out_meet_in_both_orders() {
    Dag dag = paid(", \"timeout\": \"PT1H\"");
    Dag.Task task = waiting(dag);
    Instant due = due(task);
    try (Sql fire = Sql.session(); Sql send = Sql.session()) {
      fire.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), due);
      var sent = send.later(s -> send(s, task, "1", null)).untilItWaits();
      fire.commit();
      assertThat(sent.get().getBoolean("is_consumed")).as("too late").isFalse();
      send.commit();
    }
    assertThat(waits(task)).containsExactly("timed_out");

    Dag.Task other = waiting(dag);
    try (Sql fire = Sql.session(); Sql send = Sql.session()) {
      assertThat(send(send, other, "1", null).getBoolean("is_consumed")).isTrue();
      Instant otherDue = send.instant("select due_at from tasker.step_waits where task_uuid = ?",
          other.uuid());
      var fired = fire
          .later(s -> s.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)",
              other.uuid(), otherDue))
          .untilItWaits();
      send.commit();
      fired.get();
      fire.commit();
    }
    assertThat(waits(other)).containsExactly("satisfied");
    assertThatStep(other.step("pay")).isIn("complete");
  }

  @Test
  void two_signals_at_once_are_numbered_and_one_of_them_is_consumed() {
    Dag.Task task = waiting(paid(""));
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(send(first, task, "1", null).getInt("number")).isEqualTo(1);
      var other = second.later(s -> send(s, task, "2", null)).untilItWaits();
      first.commit();
      assertThat(other.get().getInt("number")).isEqualTo(2);
      second.commit();
    }
    assertThat(result(task)).isEqualTo("1");
    assertThat(sql.number("select count(*) from tasker.task_signals where wait_uuid is null"))
        .isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void the_same_signal_from_eight_sessions_counts_once() throws Exception {
    Dag.Task task = waiting(paid(""));
    List<java.util.concurrent.CompletableFuture<String>> sent = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      sent.add(java.util.concurrent.CompletableFuture.supplyAsync(() -> {
        try (Sql session = Sql.open()) {
          String last = null;
          for (int n = 0; n < 5; n++) {
            last = send(session, task, "{\"n\": 1}", "same").getString("outcome")
                + (last == null ? "" : "," + last);
          }
          return last;
        }
      }));
    }
    List<String> outcomes = new ArrayList<>();
    for (var future : sent) {
      outcomes.addAll(List.of(future.get(60, java.util.concurrent.TimeUnit.SECONDS).split(",")));
    }
    assertThat(outcomes).hasSize(40).filteredOn("accepted"::equals).hasSize(1);
    assertThat(outcomes).filteredOn("duplicate"::equals).hasSize(39);
    assertThat(sql.number("select count(*) from tasker.task_signals")).isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_and_a_signal_meet_and_the_signal_is_told() {
    Dag.Task task = waiting(paid(""));
    try (Sql cancel = Sql.session(); Sql send = Sql.session()) {
      cancel.object("select tasker.request_cancel(?, 'ann', 'test')", task.uuid());
      var sent = send.later(s -> send(s, task, "1", null)).untilItWaits();
      cancel.commit();
      assertThat(sent.get().getString("code")).isEqualTo("task-already-ended");
      send.commit();
    }
    assertThat(waits(task)).containsExactly("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_signal_that_is_rolled_back_was_never_sent() {
    Dag.Task task = waiting(paid(""));
    try (Sql send = Sql.session()) {
      send(send, task, "1", null);
      send.rollback();
    }
    assertThatStep(task.step("pay")).isIn("pending");
    assertThat(waits(task)).containsExactly("open");
  }

  @Test
  void targets_of_a_correlation_id_are_the_unfinished_tasks_that_know_the_signal() {
    UUID correlation = UUID.randomUUID();
    Dag.Task first = paid(", \"schema\": {\"type\": \"object\"}")
        .option("correlation_id", correlation.toString()).started();
    Dag.Task second = paid("").option("correlation_id", correlation.toString()).started();
    Dag.linear(1).option("correlation_id", correlation.toString()).started();
    Dag.Task cancelled = paid("").option("correlation_id", correlation.toString()).started();
    sql.object("select tasker.request_cancel(?, 'ann', 'test')", cancelled.uuid());
    paid("").started();

    assertThat(sql.texts(
        "select (e->>'task_uuid') || coalesce(e->>'schema', '') from jsonb_array_elements(tasker.find_signal_targets(?, 'payment', null, 5)) e",
        correlation))
        .containsExactly(first.uuid() + "{\"type\": \"object\"}", second.uuid().toString());
    assertThat(
        sql.array("select tasker.find_signal_targets(?, 'payment', array['orders'])", correlation))
        .as("one more than the limit")
        .hasSize(2);
    assertThat(sql.array("select tasker.find_signal_targets(?, 'payment', array['others'], 5)",
        correlation)).isEmpty();
    assertThat(sql.text("select tasker.get_signal_schema(?, 'payment')::text", first.uuid()))
        .isEqualTo("{\"schema\": {\"type\": \"object\"}, \"namespace\": \"orders\"}");
    assertThat(sql.text("select tasker.get_signal_schema(?, 'payment')::text", second.uuid()))
        .isEqualTo("{\"schema\": null, \"namespace\": \"orders\"}");
    assertThat(sql.text("select tasker.get_signal_schema(?, 'payment')::text", UUID.randomUUID()))
        .isNull();
  }

  @Test
  void the_history_tells_of_signals_without_their_payloads() {
    Dag.Task task = waiting(paid(""));
    send(sql, task, "\"secret\"", "p-1");

    assertThat(sql.texts(
        "select concat_ws(' ', e->>'kind', e->>'signal', e->>'number', e->>'outcome') from jsonb_array_elements(tasker.get_task_history(?)) e "
            + "where e->>'kind' like 'wait%' or e->>'kind' like 'signal%'",
        task.uuid()))
        .containsExactlyInAnyOrder("wait_armed payment", "signal_received payment 1",
            "wait_ended payment 1 satisfied");
    assertThat(sql.text("select tasker.get_task_history(?)::text", task.uuid()))
        .doesNotContain("secret");
    assertThat(sql.text("select tasker.explain_waiting(?)::text", task.uuid()))
        .doesNotContain("secret");
  }
}
