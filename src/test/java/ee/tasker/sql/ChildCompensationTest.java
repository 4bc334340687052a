package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The compensation of a parent undoes its ended children by tasks of their own. */
@DatabaseTest
@DatabaseTest.Covers("compensate_child")
class ChildCompensationTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator operator = new Operator();

  private static String task(Dag.Template child) {
    return "{\"task\": {\"namespace\": \"" + child.namespace() + "\", \"name\": \"" + child.name()
        + "\"}}";
  }

  /** a → sub → b; the failure of b compensates sub, and then a. */
  private static Dag parentOf(Dag.Template child) {
    return Dag.of("a").compensatedBy("undo", 1).step("sub").dependsOn("a").waitingOnly(task(child))
        .step("b").dependsOn("sub")
        .maxAttempts(1)
        .lifecycle("on_failure", "compensate");
  }

  private static Dag xy() {
    return Dag.of("x").compensatedBy("undo", 1).step("y").dependsOn("x").compensatedBy("undo", 1);
  }

  private String name(Claim claim) {
    return sql.text(
        "select coalesce(s.name, n.name) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
            + "where s.workflow_step_uuid = ?",
        claim.step());
  }

  private Claim next(String step) {
    List<Claim> claims = worker.claim(9);
    assertThat(claims).extracting(this::name).containsExactly(step);
    return claims.get(0);
  }

  private void succeed(String... steps) {
    for (String step : steps) {
      worker.complete(next(step).success("{\"of\": \"" + step + "\"}"));
      worker.advance();
    }
  }

  private Dag.Task failedAfterItsChild(Dag.Template child, String... childSteps) {
    Dag.Task parent = parentOf(child).started();
    succeed("a");
    succeed(childSteps);
    worker.advance();
    worker.complete(next("b").permanentFailure());
    worker.advance();
    return parent;
  }

  private UUID child(Dag.Task parent) {
    return sql.uuid(
        "select child_task_uuid from tasker.step_waits where workflow_step_uuid = ? and state = 'satisfied'",
        parent.step("sub"));
  }

  private UUID compensating(Dag.Task parent) {
    return sql.uuid(
        "select task_uuid from tasker.tasks where compensates_task_uuid is not null and parent_task_uuid = ?",
        parent.uuid());
  }

  private String state(UUID task) {
    return sql.text("select state from tasker.tasks where task_uuid = ?", task);
  }

  private String undo(Dag.Task parent) {
    return sql.text(
        "select s.state || coalesce(' ' || (r.error ->> 'type'), '') from tasker.workflow_steps s "
            + "left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key "
            + "where s.compensates_step_uuid = ?",
        parent.step("sub"));
  }

  @Test
  void an_ended_child_is_undone_last_first_by_a_task_of_its_own_before_what_came_before_it() {
    Dag.Task parent = failedAfterItsChild(xy().registered(), "x", "y");
    UUID child = child(parent);
    UUID compensating = compensating(parent);

    assertThatTask(parent).isIn("waiting_for_dependencies");
    assertThat(state(child)).isEqualTo("complete");
    assertThat(sql.text("select tasker.diagnose_task(?)", parent.uuid()))
        .contains("waits for child task " + compensating);
    assertThatHistoryIsSound();
    Claim undo = next("y:compensation");
    assertThat(undo.claimedStep().getJsonObject("inputs").toString())
        .contains("\"compensates\":\"y\"", "\"of\":\"y\"");
    worker.complete(undo.success());
    succeed("x:compensation");

    assertThat(state(compensating)).isEqualTo("complete");
    assertThat(undo(parent)).isEqualTo("complete");
    succeed("a:compensation");
    assertThatTask(parent).isIn("error");
    assertThat(state(child)).as("it does not move any more").isEqualTo("complete");
    assertThat(
        sql.text("select cause || ' ' || state from tasker.task_compensations where task_uuid = ?",
            compensating))
        .isEqualTo("parent compensated");
    JsonObject shown = sql.array("select tasker.get_task_documents(array[?::uuid])", compensating)
        .getJsonObject(0);
    assertThat(shown.getString("compensates_task_uuid")).isEqualTo(child.toString());
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_whose_template_has_no_compensation_is_nothing_to_undo() {
    Dag.Task parent = failedAfterItsChild(Dag.of("x").registered(), "x");

    assertThat(compensating(parent)).isNull();
    assertThat(undo(parent)).isEqualTo("complete");
    succeed("a:compensation");
    assertThatTask(parent).isIn("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_compensation_of_its_own_takes_the_place_of_that_of_the_child() {
    Dag.Template child = xy().registered();
    Dag.Task parent = Dag.of("sub")
        .waitingOnly(task(child).replaceFirst("\\}$",
            ", \"compensation\": {\"handler\": {\"callable\": \"undo\"}}}"))
        .step("b")
        .dependsOn("sub").maxAttempts(1)
        .lifecycle("on_failure", "compensate").started();
    worker.advance();
    succeed("x", "y");
    worker.complete(next("b").permanentFailure());

    assertThat(
        next("sub:compensation").claimedStep().getJsonObject("inputs").getJsonObject("result"))
        .containsKey("y");
    assertThat(compensating(parent)).isNull();
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_cannot_be_undone_blocks_the_parent_until_an_operator_has_repaired_both() {
    Dag.Task parent = failedAfterItsChild(xy().registered(), "x", "y");
    worker.complete(next("y:compensation").permanentFailure());
    worker.advance();

    UUID compensating = compensating(parent);
    assertThat(state(compensating)).isEqualTo("blocked_by_failures");
    assertThat(undo(parent)).isEqualTo("error child_not_compensated");
    assertThatTask(parent).isIn("blocked_by_failures");
    assertThat(
        sql.number("select count(*) from tasker.tasks_dlq where resolution_status = 'pending'"))
        .isEqualTo(2);
    assertThatHistoryIsSound();

    operator.task(parent, "retry");
    assertThat(undo(parent)).as("it takes the same task, which is still blocked")
        .isEqualTo("error child_not_compensated");
    assertThat(
        sql.number("select count(*) from tasker.tasks where compensates_task_uuid is not null"))
        .isEqualTo(1);
    assertThatHistoryIsSound();
    operator.task(compensating, "retry", "{}");
    operator.task(parent, "retry");
    assertThatTask(parent).isIn("waiting_for_dependencies");
    succeed("y:compensation", "x:compensation", "a:compensation");
    assertThatTask(parent).isIn("error");
    assertThat(
        sql.text("select state from tasker.task_compensations where task_uuid = ?", parent.uuid()))
        .isEqualTo("compensated");
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void an_operator_who_retries_the_compensation_and_one_who_retries_the_parent_at_once_leave_one_of_each(
      boolean parentFirst) {
    Dag.Task parent = failedAfterItsChild(xy().registered(), "x", "y");
    worker.complete(next("y:compensation").permanentFailure());
    worker.advance();
    UUID compensating = compensating(parent);
    String retry = "select tasker.act_on_task(?, 'retry', 'ann', 'repaired') ->> 'outcome'";
    UUID first = parentFirst ? parent.uuid() : compensating;
    UUID second = parentFirst ? compensating : parent.uuid();

    try (Sql one = Sql.session(); Sql other = Sql.session()) {
      assertThat(one.text(retry, first)).isEqualTo("done");
      // Neither holds the lock of the other's task.
      assertThat(other.text(retry, second)).isEqualTo("done");
      one.commit();
      other.commit();
    }
    worker.advance();
    assertThatHistoryIsSound();
    succeed("y:compensation", "x:compensation");
    if (!undo(parent).equals("complete")) {
      // It saw the task before it was repaired.
      operator.task(parent, "retry");
    }
    succeed("a:compensation");
    assertThatTask(parent).isIn("error");
    assertThat(
        sql.number("select count(*) from tasker.tasks where compensates_task_uuid is not null"))
        .isEqualTo(1);
    assertThatHistoryIsSound();
  }

  @Test
  void a_crash_while_the_compensation_of_the_child_begins_leaves_nothing_of_it() {
    Dag.Task parent = parentOf(xy().registered()).started();
    succeed("a", "x", "y");
    Claim b = next("b");
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(b.permanentFailure());
      assertThat(session
          .number("select count(*) from tasker.tasks where compensates_task_uuid is not null"))
          .isEqualTo(1);
      sql.text("select pg_terminate_backend(?::int)",
          session.number("select pg_backend_pid()").intValue());
    } catch (Sql.SqlProblem | AssertionError e) {
      // The session is gone.
    }
    assertThat(compensating(parent)).isNull();
    assertThatHistoryIsSound();

    worker.complete(b.permanentFailure());
    worker.advance();
    succeed("y:compensation", "x:compensation", "a:compensation");
    assertThatTask(parent).isIn("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_was_deleted_blocks_the_parent_with_a_dead_letter_that_says_so() {
    Dag.Task parent = parentOf(xy().registered()).started();
    succeed("a", "x", "y");
    UUID child = child(parent);
    Claim b = next("b");
    // Rolled back: a task that was deleted in this way leaves a broken promise.
    try (Sql session = Sql.session()) {
      session.run("delete from tasker.tasks where task_uuid = ?", child);
      SqlWorker.in(session).complete(b.permanentFailure());

      assertThat(session.text(
          "select r.error ->> 'type' from tasker.workflow_steps s join tasker.workflow_step_result_audit r "
              + "on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key where s.compensates_step_uuid = ?",
          parent.step("sub")))
          .isEqualTo("child_not_found");
      assertThat(session.text("select state from tasker.tasks where task_uuid = ?", parent.uuid()))
          .isEqualTo("blocked_by_failures");
      assertThat(session.text("select task_snapshot from tasker.tasks_dlq where task_uuid = ?",
          parent.uuid()))
          .contains("child task " + child + " was deleted");
      session.rollback();
    }
  }

  @Test
  void a_child_whose_documents_were_erased_is_not_compensated_from_nothing() {
    Dag.Task parent = parentOf(xy().registered()).started();
    succeed("a", "x", "y");
    UUID child = child(parent);
    Claim b = next("b");
    // Rolled back: a child is not erased before its parent has ended, which may be retried then.
    try (Sql session = Sql.session()) {
      session.run("update tasker.tasks set erased_at = now() where task_uuid = ?", child);
      SqlWorker.in(session).complete(b.permanentFailure());

      assertThat(session.text("select r.error ->> 'type' from tasker.workflow_steps s "
          + "join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid "
          + "and r.sort_key = s.result_sort_key where s.compensates_step_uuid = ?",
          parent.step("sub"))).isEqualTo("child_erased");
      session.rollback();
    }
  }

  @Test
  void children_of_children_are_undone_too() {
    Dag.Template grandchild = Dag.of("deep").compensatedBy("undo", 1).registered();
    Dag.Template child = Dag.of("x").compensatedBy("undo", 1).step("sub").dependsOn("x")
        .waitingOnly(task(grandchild)).registered();
    Dag.Task parent = failedAfterItsChild(child, "x", "deep");

    succeed("deep:compensation", "x:compensation", "a:compensation");
    assertThatTask(parent).isIn("error");
    assertThat(sql.number(
        "select count(*) from tasker.tasks where compensates_task_uuid is not null and state = 'complete'"))
        .isEqualTo(2);
    assertThatHistoryIsSound();
  }

  @Test
  void the_workers_of_a_batch_of_an_ended_child_are_undone() {
    Dag.Template child = Dag.of("cut").batchable().step("load").dependsOn("cut")
        .batchWorker("{\"parallelism\": 5}")
        .compensatedBy("undo", 1).registered();
    Dag.Task parent = parentOf(child).started();
    succeed("a");
    worker.complete(next("cut").batches(3));
    worker.claim(9).forEach(claim -> worker.complete(claim.success()));
    worker.advance();
    worker.complete(next("b").permanentFailure());

    List<Claim> undos = worker.claim(9);
    assertThat(undos).extracting(this::name).containsExactlyInAnyOrder("load_001:compensation",
        "load_002:compensation",
        "load_003:compensation");
    assertThatHistoryIsSound();
    undos.forEach(claim -> worker.complete(claim.success()));
    worker.advance();
    succeed("a:compensation");
    assertThatTask(parent).isIn("error");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_still_runs_when_its_parent_is_cancelled_with_its_compensation_is_cancelled_with_its_own() {
    Dag.Task parent = parentOf(xy().registered()).started();
    succeed("a", "x");
    sql.text("select tasker.request_cancel(?, 'ann', 'enough', p_compensate => true)",
        parent.uuid());
    worker.advance();

    worker.claim(9).forEach(claim -> {
      assertThat(name(claim)).isIn("x:compensation", "a:compensation");
      worker.complete(claim.success());
    });
    worker.advance();
    assertThatTask(parent).isIn("cancelled");
    assertThat(sql.texts("select cause || ' ' || state from tasker.task_compensations"))
        .containsExactly("cancel compensated",
            "cancel compensated");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_is_kept_as_long_as_what_compensates_it() {
    Dag.Task parent = failedAfterItsChild(xy().registered(), "x", "y");
    succeed("y:compensation", "x:compensation", "a:compensation");
    UUID child = child(parent);
    UUID compensating = compensating(parent);
    sql.text("select tasker.roll_up_analytics()");

    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", List.of(parent.uuid())))
        .hasSize(1);
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", List.of(child))).isEmpty();
    assertThatHistoryIsSound();
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", List.of(compensating))).hasSize(1);
    assertThat(sql.texts("select unnest(tasker.purge_tasks(?))", List.of(child))).hasSize(1);
    assertThatHistoryIsSound();
  }

  @Test
  void what_compensates_a_child_goes_on_when_an_operator_ends_the_parent() {
    Dag.Task parent = failedAfterItsChild(xy().registered(), "x", "y");
    worker.complete(next("y:compensation").permanentFailure());
    worker.advance();
    operator.task(parent, "fail");
    worker.advance();

    UUID compensating = compensating(parent);
    assertThat(state(compensating)).isEqualTo("blocked_by_failures");
    assertThatHistoryIsSound();
    operator.task(compensating, "retry", "{}");
    worker.at(Instant.now().plusSeconds(60)).advance();
    succeed("y:compensation", "x:compensation");
    assertThat(state(compensating)).isEqualTo("complete");
    assertThatStep(parent.step("a")).isIn("complete");
    assertThatHistoryIsSound();
  }
}
