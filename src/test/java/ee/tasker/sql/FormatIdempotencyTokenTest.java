package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * The token that a handler gives to other systems: one for all attempts, and another one only where
 * an operator wants the effect again.
 */
@DatabaseTest
class FormatIdempotencyTokenTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();

  private static String token(Claim claim) {
    return claim.claimedStep().getString("idempotency_token");
  }

  private String token(UUID step) {
    return sql.text(
        "select tasker.format_idempotency_token(s.workflow_step_uuid, s.idempotency_resets) from tasker.workflow_steps s "
            + "where s.workflow_step_uuid = ?",
        step);
  }

  private String history(UUID step) {
    return sql.text(
        "select string_agg(coalesce(h.metadata ->> 'new_idempotency_token', '-'), ' ' order by h.sort_key) "
            + "from tasker.workflow_step_transitions h where h.workflow_step_uuid = ? and h.actor = 'operator'",
        step);
  }

  /** a is done, b has failed, and c waits for both. */
  private Dag.Task halfway() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").dependsOn("b").started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    return task;
  }

  @Test
  void it_stays_the_same_over_failures_yields_releases_and_recovery() {
    Dag.Task task = Dag.of("a").maxAttempts(9).backoff("none", 1, 1).started();
    String token = task.step("a").toString();

    Claim failed = worker.claimOne();
    worker.complete(failed.retryableFailure(0));
    worker.advance();
    Claim yielding = worker.claimOne();
    worker.complete(yielding.yielded("{\"row\": 1}", 0));
    sql.run("update tasker.workflow_steps set next_retry_at = clock_timestamp()");
    sql.run("update tasker.task_wakeups set wake_at = clock_timestamp()");
    worker.advance();
    Claim lost = worker.claimOne();
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '1 s'");
    sql.run("update tasker.task_wakeups set wake_at = clock_timestamp()");
    worker.advance();
    Claim recovered = worker.claimOne();

    assertThat(recovered.attempt()).isEqualTo(3);
    assertThat(recovered.handoff()).isEqualTo(4);
    assertThat(new String[]{token(failed), token(yielding), token(lost), token(recovered)})
        .containsOnly(token);
  }

  @Test
  void a_failed_step_that_is_reset_keeps_it_because_its_effect_may_be_there() {
    Dag.Task task = halfway();
    JsonObject done = ann.step(task, "b", "reset_for_retry");
    assertThat(done.getString("idempotency_token")).isEqualTo(task.step("b").toString());
    Claim claim = worker.claimOne();
    assertThat(token(claim)).isEqualTo(task.step("b").toString());
    worker.complete(claim.permanentFailure());
    ann.task(task, "retry");
    assertThat(token(worker.claimOne())).isEqualTo(task.step("b").toString());
    assertThat(history(task.step("b"))).isEqualTo("- -");
  }

  @Test
  void a_reset_that_wants_the_effect_again_gives_a_new_one_and_says_so() {
    Dag.Task task = halfway();
    UUID step = task.step("b");
    JsonObject done = ann.step(task, "b", "reset_for_retry", "{\"new_idempotency_token\": true}");
    assertThat(done.getString("idempotency_token")).isEqualTo(step + ":reset-1");
    assertThat(ann.step(task, "b", "reset_for_retry", "{\"new_idempotency_token\": true}")
        .getString("outcome")).isEqualTo("already");
    Claim claim = worker.claimOne();
    assertThat(token(claim)).isEqualTo(step + ":reset-1");
    assertThat(sql.text(
        "select details #>> '{before,idempotency_token}' from tasker.operator_actions where workflow_step_uuid = ?",
        step))
        .isEqualTo(step.toString());

    worker.complete(claim.permanentFailure());
    ann.step(task, "b", "reset_for_retry");
    claim = worker.claimOne();
    assertThat(token(claim)).isEqualTo(step + ":reset-1");
    worker.complete(claim.permanentFailure());
    ann.task(task, "retry", "{\"new_idempotency_token\": true}");
    assertThat(token(worker.claimOne())).isEqualTo(step + ":reset-2");
    assertThat(history(step)).isEqualTo("true - true");
  }

  @Test
  void done_steps_that_run_again_get_a_new_one_and_failed_ones_among_them_keep_theirs() {
    Dag.Task task = halfway();
    ann.task(task, "retry_from_step", "{\"step\": \"a\", \"rerun_completed\": true}");
    assertThat(token(worker.claimOne())).isEqualTo(task.step("a") + ":reset-1");
    assertThat(history(task.step("a"))).isEqualTo("true");
    assertThat(token(task.step("b"))).isEqualTo(task.step("b").toString());
    assertThat(token(task.step("c"))).isEqualTo(task.step("c").toString());
  }

  @Test
  void an_operator_says_otherwise_for_all_steps_that_start_again() {
    Dag.Task none = halfway();
    ann.task(none, "retry_from_step",
        "{\"step\": \"a\", \"rerun_completed\": true, \"new_idempotency_token\": false}");
    assertThat(token(none.step("a"))).isEqualTo(none.step("a").toString());
    assertThat(history(none.step("a"))).isEqualTo("-");
    worker.runToTheEnd();

    Dag.Task all = halfway();
    ann.task(all, "retry_from_step",
        "{\"step\": \"a\", \"rerun_completed\": true, \"new_idempotency_token\": true}");
    assertThat(token(all.step("a"))).isEqualTo(all.step("a") + ":reset-1");
    assertThat(token(all.step("b"))).isEqualTo(all.step("b") + ":reset-1");
  }

  @Test
  void a_single_move_follows_the_same_rules() {
    Dag.Task task = halfway();
    UUID a = task.step("a");
    UUID b = task.step("b");
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 1, 'complete', 'pending', 'operator', null)",
        a)).isTrue();
    assertThat(token(a)).isEqualTo(a + ":reset-1");
    assertThatDatabaseRefuses("TK007",
        () -> sql.isTrue(
            "select tasker.transition_step_state_atomic(?, 1, 'error', 'pending', 'operator', "
                + "null, '{\"new_idempotency_token\": \"maybe\"}')",
            b))
        .hasMessageContaining("true or false");
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 1, 'error', 'pending', 'operator', null, "
            + "'{\"new_idempotency_token\": true}')",
        b)).isTrue();
    assertThat(token(b)).isEqualTo(b + ":reset-1");
  }

  @Test
  void a_choice_that_is_none_is_refused_by_name() {
    Dag.Task task = halfway();
    assertThat(ann.step(task, "b", "reset_for_retry", "{\"new_idempotency_token\": \"yes\"}")
        .getString("field"))
        .isEqualTo("new_idempotency_token");
    assertThat(ann.step(task, "b", "resolve_manually", "{\"new_idempotency_token\": true}")
        .getString("field"))
        .isEqualTo("new_idempotency_token");
    assertThat(ann.task(task, "retry", "{\"new_idempotency_token\": 1}").getString("field"))
        .isEqualTo("new_idempotency_token");
    assertThat(token(task.step("b"))).isEqualTo(task.step("b").toString());
  }
}
