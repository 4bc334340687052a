package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A compensation that begins or ends while the session is killed, or while another one cancels,
 * completes or acts.
 */
@ProtectionTest
class CompensationRacesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  /** charge → ship → tell, of which tell has nothing to undo. */
  private static Dag order() {
    return Dag.of("charge").compensatedBy("refund", 2).step("ship").dependsOn("charge")
        .compensatedBy("recall", 2)
        .step("tell").dependsOn("ship").maxAttempts(1);
  }

  private String compensation(Dag.Task task) {
    return sql.text(
        "select cause || ' ' || state || ' ' || coalesce(planned_steps::text, '-') from tasker.task_compensations where task_uuid = ?",
        task.uuid());
  }

  private long undos() {
    return sql.number(
        "select count(*) from tasker.workflow_steps where compensates_step_uuid is not null");
  }

  private Claim afterShipping() {
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    return worker.claimOne();
  }

  private static JsonObject act(Sql session, Dag.Task task, String action) {
    return session.object("select tasker.act_on_task(?, ?, 'ann', 'why not')", task.uuid(), action);
  }

  private static JsonObject cancel(Sql session, Dag.Task task) {
    return session.object("select tasker.request_cancel(?, 'bob', 'changed his mind')",
        task.uuid());
  }

  @Test
  void a_crash_while_a_compensation_begins_leaves_all_of_it_or_nothing() {
    Dag.Task task = Dag.of("cut").batchable().compensatedBy("undo", 1).step("load").dependsOn("cut")
        .batchWorker("{\"parallelism\": 2}")
        .compensatedBy("undo", 1).step("end").dependsOn("load").maxAttempts(1)
        .lifecycle("on_failure", "compensate").started();
    worker.complete(worker.claimOne().batches(3));
    for (int i = 0; i < 3; i++) {
      worker.complete(worker.claimOne().success());
    }
    Claim end = worker.claimOne();
    try (CrashPoints crash = new CrashPoints()) {
      int points = crash
          .killAtEach(session -> SqlWorker.in(session).complete(end.permanentFailure()), () -> {
            assertThat(compensation(task)).isNull();
            assertThat(undos()).isZero();
            assertThatTask(task).isIn("steps_in_process");
          });
      assertThat(points).isGreaterThan(20);
    }
    assertThat(compensation(task)).isEqualTo("failure running 2");
    assertThat(undos()).as("of cut, of the batch, and of its first two workers").isEqualTo(4);
    worker.runToTheEnd();
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThatHistoryIsSound();
  }

  @Test
  void a_crash_at_the_end_of_a_compensating_step_leaves_it_running() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    worker.complete(afterShipping().permanentFailure());
    for (int left = 2; left > 0; left--) {
      Claim undo = worker.claimOne();
      try (CrashPoints crash = new CrashPoints()) {
        crash.killAtEach(session -> SqlWorker.in(session).complete(undo.success()),
            () -> assertThat(compensation(task)).isEqualTo("failure running 2"));
      }
    }
    assertThatTask(task).isIn("error");
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
    assertThat(undos()).isEqualTo(2);
  }

  @Test
  void a_cancel_that_comes_while_a_compensation_begins_is_refused() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    Claim tell = afterShipping();
    try (Sql failing = Sql.session(); Sql cancelling = Sql.session()) {
      SqlWorker.in(failing).complete(tell.permanentFailure());
      Sql.Later<JsonObject> cancel = cancelling.later(session -> cancel(session, task))
          .untilItWaits();
      failing.commit();
      assertThat(cancel.get().getString("code")).isEqualTo("task-is-being-cancelled");
      cancelling.commit();
    }
    worker.runToTheEnd();
    assertThatTask(task).isIn("error");
    assertThat(compensation(task)).isEqualTo("failure compensated 2");
  }

  @Test
  void a_failure_that_comes_while_a_cancel_is_requested_compensates_nothing() {
    Dag.Task task = order().lifecycle("on_failure", "compensate").started();
    Claim tell = afterShipping();
    try (Sql cancelling = Sql.session(); Sql failing = Sql.session()) {
      cancel(cancelling, task);
      Sql.Later<JsonObject> failure = failing
          .later(session -> SqlWorker.in(session).complete(tell.permanentFailure())).untilItWaits();
      cancelling.commit();
      failure.get();
      failing.commit();
    }
    assertThatTask(task).isIn("cancelled");
    assertThat(compensation(task)).isNull();
  }

  @Test
  void a_task_that_completes_while_an_operator_compensates_is_compensated_or_complete_as_the_first_says() {
    Dag.Task complete = order().started();
    Claim last = afterShipping();
    try (Sql completing = Sql.session(); Sql operator = Sql.session()) {
      SqlWorker.in(completing).complete(last.success());
      Sql.Later<JsonObject> action = operator.later(session -> act(session, complete, "compensate"))
          .untilItWaits();
      completing.commit();
      assertThat(action.get().getString("code")).isEqualTo("task-already-ended");
      operator.commit();
    }
    assertThatTask(complete).isIn("complete");

    Dag.Task undone = order().started();
    Claim other = afterShipping();
    try (Sql operator = Sql.session(); Sql completing = Sql.session()) {
      assertThat(act(operator, undone, "compensate").getString("outcome")).isEqualTo("done");
      Sql.Later<JsonObject> completion = completing
          .later(session -> SqlWorker.in(session).complete(other.success())).untilItWaits();
      operator.commit();
      assertThat(completion.get().getJsonArray("refused")).isEmpty();
      completing.commit();
    }
    worker.runToTheEnd();
    assertThatTask(undone).isIn("cancelled");
    assertThat(compensation(undone)).isEqualTo("cancel compensated 2");
  }

  @Test
  void of_two_operators_who_compensate_a_blocked_task_one_does() {
    Dag.Task task = order().started();
    worker.complete(afterShipping().permanentFailure());
    try (Sql ann = Sql.session(); Sql bob = Sql.session()) {
      assertThat(act(ann, task, "compensate").getString("outcome")).isEqualTo("done");
      Sql.Later<JsonObject> second = bob.later(session -> act(session, task, "compensate"))
          .untilItWaits();
      ann.commit();
      assertThat(second.get().getString("outcome")).isEqualTo("already");
      bob.commit();
    }
    assertThat(undos()).isEqualTo(2);
  }

  @Test
  void a_retry_and_a_compensation_of_a_blocked_task_take_turns() {
    Dag.Task retried = order().started();
    worker.complete(afterShipping().permanentFailure());
    try (Sql retrying = Sql.session(); Sql compensating = Sql.session()) {
      assertThat(act(retrying, retried, "retry").getString("outcome")).isEqualTo("done");
      Sql.Later<JsonObject> second = compensating
          .later(session -> act(session, retried, "compensate")).untilItWaits();
      retrying.commit();
      assertThat(second.get().getString("outcome")).isEqualTo("done");
      compensating.commit();
    }
    assertThat(compensation(retried)).isEqualTo("cancel running 2");

    worker.runToTheEnd();
    Dag.Task compensated = order().started();
    worker.complete(afterShipping().permanentFailure());
    try (Sql compensating = Sql.session(); Sql retrying = Sql.session()) {
      act(compensating, compensated, "compensate");
      Sql.Later<JsonObject> second = retrying.later(session -> act(session, compensated, "retry"))
          .untilItWaits();
      compensating.commit();
      assertThat(second.get().getString("code")).isEqualTo("nothing-to-retry");
      retrying.commit();
    }
    assertThat(compensation(compensated)).isEqualTo("operator running 2");
    List<Claim> undone = worker.runToTheEnd();
    assertThat(undone).hasSize(2);
    assertThat(compensation(compensated)).isEqualTo("operator compensated 2");
  }
}
