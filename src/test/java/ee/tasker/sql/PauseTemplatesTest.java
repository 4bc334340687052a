package ee.tasker.sql;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"find_templates_to_pause", "resume_templates", "get_pauses"})
class PauseTemplatesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Operator ann = new Operator();

  @AfterEach
  void resume() {
    sql.run("delete from tasker.template_pauses");
    sql.run(
        "update tasker.task_namespaces set paused_at = null, paused_by = null, pause_reason = null where paused_at is not null");
  }

  @Test
  void nothing_new_of_a_paused_namespace_is_handed_off_and_what_is_in_flight_finishes() {
    Dag dag = Dag.of("a").step("b").dependsOn("a").step("c").inNamespace("pausing");
    Dag.Task task = dag.started();
    Dag.Task elsewhere = Dag.linear(2).started();
    Claim running = worker.forNamespaces("pausing").claimOne();
    assertThat(ann.pause("pausing", null)).isEqualTo("paused");
    assertThat(ann.pause("pausing", null)).isEqualTo("already");
    Claim offered = worker.claimOne();
    worker.complete(running.success(), offered.success());
    assertThatStep(task.step("b")).isIn("pending").waitsForParents(0);
    assertThatTask(task).isIn("waiting_for_dependencies").counts(1, 0, 0, 0);
    Dag.Task later = dag.started();
    assertThatTask(later).isIn("pending").counts(3, 0, 0, 0);
    worker.at(Instant.now().plusSeconds(700)).advance();
    assertThat(worker.claim(10)).isEmpty();
    assertThatTask(later).isIn("waiting_for_dependencies");

    worker.at(null).forNamespaces("orders").complete(worker.claimOne().success());
    assertThatStep(elsewhere.step("s2")).isIn("enqueued");

    assertThat(ann.resume("pausing", null)).isEqualTo("resumed");
    assertThatTask(task).isLookedAtAbout(Instant.now());
    worker.advance();
    assertThatStep(task.step("b")).isIn("enqueued");
    assertThat(ann.resume("pausing", null)).isEqualTo("already");
    worker.forNamespaces("pausing").runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThatTask(later).isIn("complete");
  }

  @Test
  void a_retry_that_is_due_waits_for_the_end_of_the_pause() {
    Dag.Task task = Dag.of("a").inNamespace("pausing").started();
    worker.complete(worker.claimOne().retryableFailure(0));
    ann.pause("pausing", task.template().name());
    worker.at(Instant.now().plusSeconds(1)).advance();
    assertThatStep(task.step("a")).isIn("waiting_for_retry");
    assertThat(
        sql.isTrue("select wake_at > clock_timestamp() + interval '20 s' from tasker.task_wakeups"))
        .as("it is not evaluated in a loop").isTrue();
    ann.resume("pausing", task.template().name());
    worker.at(Instant.now().plusSeconds(2)).advance();
    assertThatStep(task.step("a")).isIn("enqueued");
  }

  @Test
  void a_template_that_is_registered_in_a_paused_namespace_is_paused_too() {
    Dag.of("first").inNamespace("pausing").registered();
    ann.pause("pausing", null);
    Dag.Task task = Dag.of("second" + System.nanoTime()).inNamespace("pausing").started();
    assertThatTask(task).isIn("pending");
    ann.resume("pausing", null);
    worker.advance();
    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void a_template_that_is_paused_both_ways_needs_both_to_end() {
    Dag.Task task = Dag.of("a").inNamespace("pausing").submitted();
    ann.pause("pausing", null);
    ann.pause("pausing", task.template().name());
    ann.resume("pausing", null);
    worker.advance();
    assertThatStep(task.step("a")).isIn("pending");
    assertThat(sql.array("select tasker.get_pauses()")).hasSize(1);
    ann.resume("pausing", task.template().name());
    worker.advance();
    assertThatStep(task.step("a")).isIn("enqueued");
  }

  @Test
  void a_pause_says_who_and_why_and_needs_something_to_pause() {
    Dag.of("a").inNamespace("pausing").registered();
    assertThat(ann.pause("pausing", "no_such_template")).isEqualTo("refused");
    assertThat(sql
        .text("select tasker.pause_templates('pausing', null, '1.0.0', 'ann', 'why') ->> 'field'"))
        .as("a version of what?")
        .isEqualTo("name");
    assertThat(sql
        .text("select tasker.resume_templates('pausing', null, '1.0.0', 'ann', 'why') ->> 'field'"))
        .isEqualTo("name");
    assertThat(sql.array("select tasker.get_pauses()")).isEmpty();
    ann.pause("pausing", null);
    var pause = sql.array("select tasker.get_pauses()").getJsonObject(0);
    assertThat(pause.getString("paused_by") + " " + pause.getString("reason") + " "
        + pause.getString("namespace"))
        .isEqualTo("ann the other side has fixed it pausing");
    assertThat(sql.texts(
        "select concat_ws(' ', action, namespace, acted_by) from tasker.operator_actions where acted_at > clock_timestamp() - interval '1 minute' "
            + "and action = 'pause' order by acted_at desc limit 1"))
        .containsExactly("pause pausing ann");
  }

  @Test
  void an_operator_action_hands_off_no_step_of_a_paused_template() {
    Dag.Task task = Dag.of("a").inNamespace("pausing").submitted();
    ann.pause("pausing", null);
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 0, 'pending', 'enqueued', 'orchestrator', null)",
        task.step("a")))
        .isFalse();
  }

  @Test
  void a_task_that_is_being_evaluated_as_paused_is_due_after_the_resume() {
    Dag dag = Dag.of("a").inNamespace("pausing");
    dag.registered();
    assertThat(ann.pause("pausing", null)).isEqualTo("paused");
    Dag.Task task = dag.started();
    try (Sql evaluating = Sql.session(); Sql resuming = Sql.session()) {
      SqlWorker.in(evaluating).advance();
      Sql.Later<JsonObject> resumed = resuming
          .later(session -> session
              .object("select tasker.resume_templates('pausing', null, null, 'ann', 'why')"))
          .untilItWaits();
      evaluating.commit();
      assertThat(resumed.get().getInt("tasks")).isEqualTo(1);
      resuming.commit();
    }
    assertThatTask(task).isLookedAtAbout(Instant.now());
    worker.advance();
    assertThatStep(task.step("a")).isIn("enqueued");
  }
}
