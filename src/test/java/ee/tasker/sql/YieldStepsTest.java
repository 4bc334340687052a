package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A handoff that yields gives everything up, and the step goes on from its checkpoint without
 * spending an attempt.
 */
@DatabaseTest
@DatabaseTest.Covers({"yield_steps", "judge_yields", "check_checkpoint"})
class YieldStepsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private Instant now = sql.instant("select clock_timestamp()");

  /** Goes forward in time, and lets the fallback poller run. */
  private SqlWorker after(Duration time) {
    now = now.plus(time);
    worker.at(now).advance();
    return worker;
  }

  private String row(Dag.Task task, String step) {
    return sql.text(
        "select concat_ws(' ', s.state, s.handoffs, s.attempts, d.yields, d.stalled_yields, d.yielded_handoff, d.checkpoint) "
            + "from tasker.workflow_steps s left join tasker.workflow_step_documents d using (workflow_step_uuid) where s.workflow_step_uuid = ?",
        task.step(step));
  }

  private String errorType(Dag.Task task, String step) {
    return sql.text(
        "select a.error ->> 'type' from tasker.workflow_step_result_audit a where a.workflow_step_uuid = ? order by a.sort_key desc limit 1",
        task.step(step));
  }

  private static void accepted(JsonObject reply) {
    assertThat(reply.getJsonArray("refused")).isEmpty();
  }

  @Test
  void a_step_that_yields_goes_on_from_its_checkpoint_and_spends_no_attempt() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").maxAttempts(1).started();
    worker.at(now);
    for (int round = 1; round <= 3; round++) {
      Claim claim = worker.claimOne();
      assertThat(List.of(claim.handoff(), claim.attempt())).containsExactly(round, 1);
      assertThat(claim.claimedStep().get("checkpoint").toString())
          .isEqualTo(round == 1 ? "null" : "{\"row\":" + (round - 1) + "}");
      JsonObject reply = worker.complete(claim.yielded("{\"row\": " + round + "}", 60_000));
      accepted(reply);
      assertThat(reply.getInt("next_retry_in_ms")).isEqualTo(60_000);
      assertThat(row(task, "a")).isEqualTo("waiting_for_retry " + round + " 0 " + round + " 0 "
          + round + " {\"row\": " + round + "}");
      assertThatTask(task).isIn("waiting_for_retry");
      assertThat(
          sql.text("select cause || ': ' || sentence from tasker.explain_waiting(?, ?) limit 1",
              task.uuid(), now))
          .startsWith("yielded: has yielded until ");
      assertThatHistoryIsSound();
      assertThat(after(Duration.ofSeconds(59)).claim(1)).isEmpty();
      after(Duration.ofSeconds(1));
    }
    worker.complete(worker.claimOne().success("{\"rows\": 3}"));
    assertThat(row(task, "a")).startsWith("complete 4 1 3 0 3");
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThat(
        sql.texts(
            "select concat_ws(' ', outcome, handoff, attempt) from tasker.workflow_step_result_audit where workflow_step_uuid = ?",
            task.step("a")))
        .containsExactly("success 4 1");
    assertThatHistoryIsSound();
  }

  @Test
  void a_yield_of_another_handoff_changes_nothing_and_a_repeated_one_is_told_so() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    String before = row(task, "a");
    JsonObject stale = worker.complete(claim.asHandoff(2).yielded("{\"row\": 9}", 0));
    assertThat(stale.getJsonArray("refused").getJsonObject(0).getString("verdict"))
        .isEqualTo("STALE");
    assertThat(row(task, "a")).isEqualTo(before);

    accepted(worker.complete(claim.yielded("{\"row\": 1}", 1)));
    JsonObject again = worker.complete(claim.yielded("{\"row\": 2}", 1));
    assertThat(again.getJsonArray("refused").getJsonObject(0).getString("verdict"))
        .isEqualTo("ALREADY");
    worker.advance();
    Claim next = worker.claimOne();
    JsonObject late = worker.complete(claim.yielded("{\"row\": 3}", 1));
    assertThat(late.getJsonArray("refused").getJsonObject(0).getString("verdict"))
        .isEqualTo("STALE");
    assertThat(next.claimedStep().getJsonObject("checkpoint").getInt("row")).isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void yields_and_other_results_of_one_call_are_each_what_they_are() {
    Dag.Task task = Dag.parallel(3).started();
    List<Claim> claims = worker.claim(3);
    accepted(worker.complete(claims.get(0).yielded("1", 5_000), claims.get(1).success(),
        claims.get(2).permanentFailure()));
    assertThat(sql.texts(
        "select s.state::text from tasker.workflow_steps s where s.workflow_step_uuid = any (array[?::uuid, ?::uuid, ?::uuid]) order by 1",
        claims.get(0).step(), claims.get(1).step(), claims.get(2).step()))
        .containsExactlyInAnyOrder("waiting_for_retry", "complete", "error");
    assertThat(task.uuid()).isNotNull();
    assertThatHistoryIsSound();
  }

  @Test
  void a_worker_lost_after_a_yield_spends_an_attempt_and_the_next_goes_on_from_the_checkpoint() {
    Dag.Task task = Dag.of("a").maxAttempts(2).started();
    worker.at(now);
    worker.complete(worker.claimOne().yielded("{\"row\": 5}", 1_000));
    after(Duration.ofSeconds(1));
    Claim lost = worker.claimOne();
    assertThat(lost.attempt()).isEqualTo(1);
    assertThat(sql.isTrue("select tasker.save_checkpoint(?, ?, '{\"row\": 7}')", lost.step(),
        lost.handoff())).isTrue();
    after(Duration.ofSeconds(61));
    Claim second = worker.claimOne();
    assertThat(List.of(second.handoff(), second.attempt(),
        second.claimedStep().getJsonObject("checkpoint").getInt("row")))
        .containsExactly(3, 2, 7);
    assertThat(worker.complete(lost.yielded("{\"row\": 8}", 0)).getJsonArray("refused")).hasSize(1);
    worker.complete(second.success());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void yields_at_once_without_progress_wait_longer_and_end_as_a_failure() {
    Dag.Task task = Dag.of("a").started();
    worker.at(now);
    worker.complete(worker.claimOne().yielded("{\"row\": 1}", 0));
    after(Duration.ZERO);
    for (int stalled = 1; stalled < 20; stalled++) {
      JsonObject reply = worker
          .complete(worker.claimOne().yielded(stalled % 2 == 0 ? null : "{\"row\": 1}", 999));
      accepted(reply);
      assertThat(reply.getInt("next_retry_in_ms"))
          .isEqualTo(stalled > 6 ? 60_000 : 1000 << (stalled - 1));
      after(Duration.ofMinutes(1));
    }
    worker.complete(worker.claimOne().yielded(null, 0));
    assertThatStep(task.step("a")).isIn("error");
    assertThat(errorType(task, "a")).isEqualTo("yield_without_progress");
    assertThatHistoryIsSound();
  }

  @Test
  void a_yield_that_waits_or_brings_another_checkpoint_is_progress() {
    Dag.Task task = Dag.of("a").started();
    worker.at(now);
    worker.complete(worker.claimOne().yielded(null, 0));
    after(Duration.ofSeconds(1));
    assertThat(row(task, "a")).startsWith("enqueued 2 1 1 1");
    worker.complete(worker.claimOne().yielded("{\"row\": 1}", 0));
    assertThat(row(task, "a")).startsWith("waiting_for_retry 2 0 2 0");
    for (int poll = 1; poll <= 30; poll++) {
      after(Duration.ofSeconds(1));
      accepted(worker.complete(worker.claimOne().yielded(null, 1_000)));
    }
    assertThat(row(task, "a")).isEqualTo("waiting_for_retry 32 0 32 0 32 {\"row\": 1}");
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource({"65534, 0, ", "65535, 0, checkpoint_not_storable", "1, -1, invalid_yield",
    "1, 315360000000, ",
    "1, 315360000001, invalid_yield", "1, 9999999999999, invalid_yield"})
  void what_a_yield_may_not_ask_for_fails_the_step_and_keeps_the_last_checkpoint(int letters,
      long afterMs, String type) {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    sql.text("select tasker.save_checkpoint(?, 1, '\"last\"')", claim.step());
    accepted(worker.complete(claim.yielded("\"" + "x".repeat(letters) + "\"", afterMs)));
    assertThatStep(task.step("a")).isIn(type == null ? "waiting_for_retry" : "error");
    if (type != null) {
      assertThat(errorType(task, "a")).isEqualTo(type);
      assertThat(row(task, "a")).endsWith(" \"last\"");
    }
    assertThatHistoryIsSound();
  }

  @Test
  void a_checkpoint_that_is_too_large_is_refused_and_changes_nothing() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    String before = row(task, "a");
    assertThatThrownBy(() -> sql
        .text("select tasker.save_checkpoint(?, 1, to_jsonb(repeat('x', 65535)))", claim.step()))
        .hasMessageContaining("the checkpoint has 65537 bytes, and may have at most 65536");
    assertThat(row(task, "a")).isEqualTo(before);
  }

  @Test
  void after_ten_thousand_yields_the_step_fails_and_a_reset_counts_from_the_beginning() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().yielded("1", 1));
    worker.advance();
    sql.run("update tasker.workflow_step_documents set yields = 10000");
    worker.complete(worker.claimOne().yielded("2", 1));
    assertThat(errorType(task, "a")).isEqualTo("too_many_yields");
    new Operator().step(task, "a", "reset_for_retry", "{}");
    assertThat(row(task, "a")).isEqualTo("enqueued 3 2 0 0 1 1");
    assertThat(worker.claimOne().claimedStep().getInt("checkpoint")).isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_ends_a_step_that_has_yielded_and_one_that_yields_after_it() {
    Dag.Task task = Dag.parallel(2).started();
    List<Claim> claims = worker.claim(2);
    worker.complete(claims.get(0).yielded("1", 3_600_000));
    sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more', 'cancel_running')",
        task.uuid());
    accepted(worker.complete(claims.get(1).yielded("2", 3_600_000)));
    worker.advance();
    assertThatStep(claims.get(0).step()).isIn("cancelled");
    assertThatStep(claims.get(1).step()).isIn("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_that_yields_gives_its_slot_to_the_next_in_line() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1}");
    dag.started();
    dag.started();
    now = sql.instant("select clock_timestamp()");
    worker.at(now).advance();
    Claim first = worker.claimOne();
    assertThat(worker.claim(1)).isEmpty();
    worker.complete(first.yielded("1", 1_000));
    worker.advance();
    Claim second = worker.claimOne();
    assertThat(second.step()).isNotEqualTo(first.step());
    assertThat(after(Duration.ofSeconds(1)).claim(1)).isEmpty();
    worker.complete(second.success());
    worker.advance();
    assertThat(worker.claimOne().step()).isEqualTo(first.step());
    assertThatHistoryIsSound();
  }

  @Test
  void a_worker_of_a_batch_that_yields_lets_another_begin_and_goes_on_before_new_ones() {
    Dag.Task task = Dag.of("cut").batchable().step("work").dependsOn("cut")
        .batchWorker("{\"parallelism\": 1}").step("join")
        .dependsOn("work").started();
    worker.at(now);
    worker.complete(worker.claimOne().batches(3));
    Claim first = worker.claimOne();
    worker.complete(first.yielded("{\"row\": 1}", 1_000));
    Claim second = worker.claimOne();
    assertThat(second.step()).isNotEqualTo(first.step());
    after(Duration.ofSeconds(1));
    assertThat(worker.claim(1)).isEmpty();
    assertThatHistoryIsSound();
    worker.complete(second.success());
    assertThat(worker.claimOne().step()).isEqualTo(first.step());
    assertThatHistoryIsSound();
    now = now.plusSeconds(120);
    worker.at(now);
    worker.advance();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void a_server_without_the_orchestrators_role_yields_as_well() {
    Dag.Task task = Dag.of("a").notRetryable().started();
    worker.at(now);
    JsonObject reply = worker.submitResults(worker.claimOne().yielded("{\"row\": 1}", 30_000));
    accepted(reply);
    sql.text("select tasker.process_step_results(?, p_now => ?)", worker.uuid(), now);
    assertThatTask(task).isIn("waiting_for_retry");
    assertThatHistoryIsSound();
    after(Duration.ofSeconds(30));
    Claim next = worker.claimOne();
    assertThat(next.claimedStep().getJsonObject("checkpoint").getInt("row")).isEqualTo(1);
    worker.complete(next.success());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_move_by_hand_gives_the_attempt_back_too() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    Claim claim = worker.claimOne();
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 1, 'in_progress', 'waiting_for_retry', 'worker', null, '{\"delay_ms\": 0}')",
        claim.step()))
        .isTrue();
    assertThatStep(task.step("a")).isIn("waiting_for_retry").hasHandoffs(1).hasAttempts(0);
    worker.advance();
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }
}
