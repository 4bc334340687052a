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
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Steps that wait for a child task. */
@DatabaseTest
@DatabaseTest.Covers({"pass_child_waits", "calculate_child_depth", "describe_child_failure",
  "submit_children", "get_task_outputs", "deliver_notices", "tell_end_of_task",
  "find_child_violations",
  "get_child_documents"})
class ChildTasksTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Dag calling(Dag.Template child, String more) {
    return Dag.of("a").step("sub").dependsOn("a")
        .waitingOnly(
            "{\"task\": {\"namespace\": \"" + child.namespace() + "\", \"name\": \"" + child.name()
                + "\", \"context\": {\"from\": \"$.results.a\", \"fixed\": 1}}" + more + "}")
        .step("b").dependsOn("sub");
  }

  private UUID child(Dag.Task parent) {
    return sql.uuid(
        "select w.child_task_uuid from tasker.step_waits w where w.task_uuid = ? and w.kind = 'child' order by w.armed_at desc, w.wait_uuid desc limit 1",
        parent.uuid());
  }

  private String state(UUID task) {
    return sql.text("select state from tasker.tasks where task_uuid = ?", task);
  }

  private List<String> waits(Dag.Task task) {
    return sql.texts(
        "select kind || ' ' || state from tasker.step_waits where task_uuid = ? order by armed_at, wait_uuid",
        task.uuid());
  }

  @Test
  void a_child_is_submitted_with_the_end_of_the_last_parent_and_its_output_is_the_result() {
    Dag.Task parent = calling(Dag.of("x").registered(), "").started();
    worker.complete(worker.claimOne().success("{\"n\": 7}"));
    UUID child = child(parent);

    assertThatStep(parent.step("sub")).isIn("pending");
    assertThatTask(parent).isIn("waiting_for_dependencies");
    assertThat(sql.text("select context from tasker.task_contexts where task_uuid = ?", child))
        .isEqualTo("{\"from\": {\"n\": 7}, \"fixed\": 1}");
    assertThat(sql.text("select tasker.diagnose_task(?)", parent.uuid()))
        .contains("waits for child task " + child);
    assertThatHistoryIsSound();

    worker.complete(worker.claimOne().success("{\"y\": 1}"));
    assertThat(state(child)).isEqualTo("complete");
    assertThatHistoryIsSound();
    worker.advance();

    assertThatStep(parent.step("sub")).isIn("complete");
    assertThat(sql.text(
        "select result from tasker.workflow_step_result_audit where workflow_step_uuid = ?",
        parent.step("sub")))
        .isEqualTo("{\"x\": {\"y\": 1}}");
    worker.complete(worker.claimOne().success());
    assertThatTask(parent).isIn("complete").counts(0, 0, 0, 0).hasNoWakeUp();
    assertThat(waits(parent)).containsExactly("child satisfied");
    assertThatHistoryIsSound();
  }

  private Dag.Task submittedBy(Dag dag) {
    Dag.Task parent = dag.started();
    worker.complete(claim(parent.uuid()).success("{\"n\": 7}"));
    return parent;
  }

  private SqlWorker.Claim claim(UUID task) {
    return worker.claim(99).stream().filter(claim -> claim.task().equals(task)).findAny()
        .orElseThrow();
  }

  /** A parent whose step sub waits for a child with the step x. */
  private Dag.Task waitingForAChild(String more) {
    return submittedBy(calling(Dag.of("x").registered(), more));
  }

  private String error(Dag.Task task, String step) {
    return sql.text(
        "select r.error ->> 'type' from tasker.workflow_steps s join tasker.workflow_step_result_audit r "
            + "on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step(step));
  }

  /** Moves everything that the task waits for into the past, as if an hour had gone by. */
  private void pass(Dag.Task task) {
    sql.run(
        "update tasker.step_waits set armed_at = armed_at - interval '1 hour', due_at = due_at - interval '1 hour', "
            + "ended_at = ended_at - interval '1 hour' where task_uuid = ?",
        task.uuid());
    sql.run(
        "update tasker.task_wakeups set wake_at = wake_at - interval '1 hour' where task_uuid = ?",
        task.uuid());
  }

  private static final String RETRIES = ", \"retry\": {\"max_attempts\": 2, \"backoff_base_ms\": 1000}";
  private static final String ONCE = ", \"retry\": {\"max_attempts\": 1}";

  @Test
  void a_failure_of_the_child_is_an_error_of_the_step_and_its_task_has_a_dead_letter() {
    Dag.Task parent = waitingForAChild(ONCE);
    worker.complete(claim(child(parent)).permanentFailure());
    assertThat(state(child(parent))).isEqualTo("blocked_by_failures");
    worker.advance();

    assertThatStep(parent.step("sub")).isIn("error");
    assertThat(error(parent, "sub")).isEqualTo("child_failed");
    assertThatTask(parent).isIn("blocked_by_failures");
    assertThat(waits(parent)).containsExactly("child failed");
    assertThatHistoryIsSound();
  }

  @Test
  void a_failure_is_followed_by_another_child_after_the_backoff_and_the_blocked_one_is_cancelled() {
    Dag.Task parent = waitingForAChild(RETRIES);
    UUID first = child(parent);
    worker.complete(claim(first).permanentFailure());
    worker.advance();
    sql.object("select tasker.evaluate_tasks(array[?], null)", parent.uuid());
    assertThatStep(parent.step("sub")).isIn("pending");
    assertThat(waits(parent)).containsExactly("child failed", "child_retry open");
    assertThat(sql.text("select tasker.diagnose_task(?)", parent.uuid()))
        .contains("another one will be submitted");
    assertThatHistoryIsSound();

    pass(parent);
    worker.advance();
    UUID second = child(parent);
    assertThat(second).isNotEqualTo(first);
    worker.advance();
    assertThat(state(first)).isEqualTo("cancelled");
    assertThatHistoryIsSound();
    worker.complete(claim(second).success("{\"y\": 2}"));
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_an_operator_repairs_during_the_backoff_is_taken() {
    Dag.Task parent = waitingForAChild(RETRIES);
    UUID first = child(parent);
    worker.complete(claim(first).permanentFailure());
    worker.advance();
    new Operator().task(first, "retry", "{}");
    worker.complete(claim(first).success("{\"y\": 3}"));
    pass(parent);
    worker.advance();
    worker.advance();

    assertThat(child(parent)).isEqualTo(first);
    assertThatStep(parent.step("sub")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancelled_child_is_an_error_that_is_not_retried() {
    Dag.Task parent = waitingForAChild(RETRIES);
    sql.object("select tasker.request_cancel(?, 'ann', 'not needed')", child(parent));
    worker.advance();

    assertThat(error(parent, "sub")).isEqualTo("child_cancelled");
    assertThatTask(parent).isIn("blocked_by_failures");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_of_the_parent_goes_down_the_whole_tree() {
    Dag.Template leaf = Dag.of("x").registered();
    Dag.Template middle = Dag.of("mid")
        .waitingOnly("{\"task\": {\"namespace\": \"" + leaf.namespace() + "\", \"name\": \""
            + leaf.name() + "\"}}")
        .registered();
    Dag.Task parent = submittedBy(calling(middle, ""));
    UUID child = child(parent);
    UUID grandchild = sql.uuid("select child_task_uuid from tasker.step_waits where task_uuid = ?",
        child);
    assertThat(state(grandchild)).isEqualTo("steps_in_process");

    sql.object("select tasker.request_cancel(?, 'ann', 'not needed')", parent.uuid());
    assertThatTask(parent).isIn("cancelled");
    assertThat(state(child)).isEqualTo("waiting_for_dependencies");
    String explanation = "select tasker.get_task_documents(array[?]) -> 0 ->> 'explanation'";
    assertThat(sql.text(explanation, parent.uuid()))
        .isEqualTo("The task is cancelled; 1 child task that it waited for has not ended yet.");
    assertThatHistoryIsSound();
    for (int i = 0; i < 4; i++) {
      worker.advance();
    }
    assertThat(sql.text(explanation, parent.uuid())).isNull();
    assertThat(List.of(state(child), state(grandchild))).containsOnly("cancelled");
    assertThat(sql.number("select count(*) from tasker.task_notices")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void a_parent_that_rests_is_not_stale_and_no_child_of_it_is_purged() {
    Dag.Task parent = waitingForAChild("");
    UUID child = child(parent);
    worker.complete(claim(child).success());
    assertThat(sql.array("select to_jsonb(tasker.purge_tasks(array[?]))", child)).isEmpty();
    assertThat(sql.number(
        "select count(*) from tasker.get_task_staleness(array[?], now() + interval '20 days')",
        parent.uuid())).isZero();
    worker.advance();
    worker.complete(claim(parent.uuid()).success());
    assertThatTask(parent).isIn("complete");
  }

  @Test
  void an_operator_who_closes_or_completes_the_step_cancels_the_child() {
    for (String action : List.of("resolve_manually", "complete_manually")) {
      Dag.Task parent = waitingForAChild("");
      new Operator().step(parent, "sub", action,
          action.startsWith("complete") ? "{\"result\": {}}" : "{}");
      assertThatHistoryIsSound();
      worker.advance();
      assertThat(state(child(parent))).isEqualTo("cancelled");
      worker.complete(claim(parent.uuid()).success());
      assertThatTask(parent).isIn("complete");
      assertThatHistoryIsSound();
    }
  }

  @Test
  void a_reset_step_submits_another_child_and_takes_one_that_runs_again() {
    Dag.Task parent = waitingForAChild(ONCE);
    UUID first = child(parent);
    worker.complete(claim(first).permanentFailure());
    worker.advance();
    new Operator().task(first, "retry", "{}");
    new Operator().step(parent, "sub", "reset_for_retry");
    assertThat(child(parent)).isEqualTo(first);
    assertThatHistoryIsSound();
    worker.complete(claim(first).permanentFailure());
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("error");

    new Operator().step(parent, "sub", "reset_for_retry");
    UUID second = child(parent);
    assertThat(second).isNotEqualTo(first);
    worker.advance();
    assertThat(state(first)).isEqualTo("cancelled");
    worker.complete(claim(second).success());
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void an_ended_child_is_not_restarted_once_its_step_has_ended() {
    Dag.Task parent = waitingForAChild(ONCE);
    UUID child = child(parent);
    worker.complete(claim(child).permanentFailure());
    new Operator().task(child, "fail", "{}");
    worker.advance();
    new Operator().step(parent, "sub", "resolve_manually");
    assertThat(new Operator().task(child, "retry", "{}").getString("code"))
        .isEqualTo("task-already-ended");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_does_not_end_in_time_is_cancelled() {
    Dag.Task parent = waitingForAChild(ONCE + ", \"timeout_seconds\": 60");
    UUID child = child(parent);
    pass(parent);
    worker.advance();
    worker.advance();

    assertThat(error(parent, "sub")).isEqualTo("child_timed_out");
    assertThat(waits(parent)).containsExactly("child timed_out");
    assertThat(state(child)).isEqualTo("cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_cannot_be_submitted_is_a_permanent_error() {
    Dag.Task unknown = submittedBy(
        Dag.of("a").step("sub").dependsOn("a").waitingOnly("{\"task\": {\"name\": \"nowhere\"}}"));
    assertThat(error(unknown, "sub")).isEqualTo("child_not_submitted");
    Dag.Task wrong = submittedBy(Dag.of("a").step("sub").dependsOn("a")
        .waitingOnly(
            "{\"task\": {\"name\": \"nowhere\", \"context\": {\"x\": \"$.results.a ? (@.n > \\\"x\\\").n / 0\"}}}"));
    assertThat(error(wrong, "sub")).isIn("expression_error", "child_not_submitted");
    assertThatTask(unknown).isIn("blocked_by_failures");
    assertThatHistoryIsSound();
  }

  @Test
  void a_task_that_calls_itself_ends_at_the_greatest_depth() {
    Dag.Template self = Dag.of("again").waitingOnly("{\"task\": {\"name\": \"loop_placeholder\"}}")
        .lifecycle("max_child_depth", 3)
        .registered();
    sql.run("alter table tasker.named_tasks_named_steps disable trigger user");
    sql.run(
        "update tasker.named_tasks_named_steps set wait_for = jsonb_set(wait_for, '{name}', to_jsonb(?::text)) where named_task_uuid = ?",
        self.name(), self.uuid());
    sql.run(
        "update tasker.named_tasks_named_steps n set document_hash = tasker.hash_step_definition(n) where named_task_uuid = ?",
        self.uuid());
    sql.run("alter table tasker.named_tasks_named_steps enable trigger user");
    UUID root = sql.uuid("select tasker.submit_task(?, ?, null)", self.namespace(), self.name());
    for (int i = 0; i < 8; i++) {
      worker.advance();
    }

    assertThat(
        sql.number("select count(*) from tasker.tasks where named_task_uuid = ?", self.uuid()))
        .isEqualTo(4);
    assertThat(sql.number(
        "select count(*) from tasker.tasks where named_task_uuid = ? and state = 'blocked_by_failures'",
        self.uuid()))
        .isGreaterThanOrEqualTo(1);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_step_result_audit where error ->> 'type' = 'child_not_submitted'"))
        .isEqualTo(1);
    assertThat(state(root)).isIn("waiting_for_dependencies", "blocked_by_failures");
  }

  @Test
  void a_child_that_ends_within_its_submission_is_noticed() {
    Dag.Template rules = Dag.of("d").decision()
        .decidedBy(
            "{\"rules\": [{\"when\": \"$.context.n > 1\", \"then\": []}], \"otherwise\": []}")
        .registered();
    Dag.Task parent = submittedBy(calling(rules, ""));
    assertThat(state(child(parent))).isEqualTo("complete");
    assertThatHistoryIsSound();
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("complete");
  }

  @Test
  void the_end_of_a_child_waits_for_no_lock_of_its_parent_and_is_not_lost() {
    Dag.Task parent = waitingForAChild("");
    SqlWorker.Claim last = claim(child(parent));
    Dag.Task other = waitingForAChild("");
    SqlWorker.Claim lastOfOther = claim(child(other));
    try (Sql holder = Sql.session()) {
      holder.run("select from tasker.tasks where task_uuid = ? for no key update", parent.uuid());
      worker.complete(last.success());
      worker.complete(lastOfOther.success());
      worker.advance();
      assertThatStep(parent.step("sub")).isIn("pending");
      assertThatStep(other.step("sub")).isIn("complete");
      holder.rollback();
    }
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_ends_while_its_parent_is_evaluated_is_taken_afterwards() {
    Dag.Task parent = waitingForAChild("");
    SqlWorker.Claim last = claim(child(parent));
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(last.success());
      sql.object("select tasker.evaluate_tasks(array[?], null)", parent.uuid());
      assertThatStep(parent.step("sub")).isIn("pending");
      session.commit();
    }
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_cancel_of_the_parent_and_the_end_of_the_child_do_not_wait_for_each_other() {
    for (boolean endsFirst : List.of(true, false)) {
      Dag.Task parent = waitingForAChild("");
      UUID child = child(parent);
      SqlWorker.Claim last = claim(child);
      try (Sql ending = Sql.session(); Sql cancelling = Sql.session()) {
        if (endsFirst) {
          SqlWorker.in(ending).complete(last.success());
          cancelling.object("select tasker.request_cancel(?, 'ann', 'not needed')", parent.uuid());
        } else {
          cancelling.object("select tasker.request_cancel(?, 'ann', 'not needed')", parent.uuid());
          SqlWorker.in(ending).complete(last.success());
        }
        ending.commit();
        cancelling.commit();
      }
      worker.advance();
      worker.advance();
      assertThatTask(parent).isIn("cancelled");
      assertThat(state(child)).isEqualTo("complete");
      assertThat(sql.number("select count(*) from tasker.task_notices")).isZero();
      assertThatHistoryIsSound();
    }
  }

  @Test
  void two_children_that_end_at_once_both_count() {
    Dag.Template child = Dag.of("x").registered();
    String call = "{\"task\": {\"name\": \"" + child.name() + "\"}}";
    Dag.Task parent = Dag.of("s1").waitingOnly(call).step("s2").waitingOnly(call).step("join")
        .dependsOn("s1", "s2").started();
    List<SqlWorker.Claim> claims = worker.claim(9);
    assertThat(claims).hasSize(2);
    try (Sql one = Sql.session(); Sql two = Sql.session()) {
      SqlWorker.in(one).complete(claims.get(0).success());
      SqlWorker.in(two).complete(claims.get(1).success());
      one.commit();
      worker.advance();
      two.commit();
    }
    worker.advance();
    assertThatStep(parent.step("join")).isIn("enqueued");
    assertThatHistoryIsSound();
  }

  @Test
  void an_operator_who_resolves_the_step_while_the_child_ends_wins_or_comes_too_late() {
    Dag.Task parent = waitingForAChild("");
    SqlWorker.Claim last = claim(child(parent));
    worker.complete(last.success());
    try (Sql session = Sql.session()) {
      session.object(
          "select tasker.act_on_step(?, ?, 'resolve_manually', 'ann', 'no longer needed')",
          parent.uuid(), parent.step("sub"));
      worker.advance();
      assertThatStep(parent.step("sub")).isIn("pending");
      session.commit();
    }
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("resolved_manually");
    assertThat(waits(parent)).containsExactly("child cancelled");
    assertThatHistoryIsSound();
  }

  @Test
  void first_steps_of_children_go_to_the_server_that_made_their_step_ready_up_to_its_limit() {
    Dag.Template child = Dag.of("x").step("y").registered();
    List<Dag.Task> parents = calling(child, "").started(2);
    List<SqlWorker.Result> results = worker.claim(2).stream()
        .map(claim -> claim.success("{\"n\": 7}")).toList();
    List<SqlWorker.Claim> claims = SqlWorker
        .claims(worker.complete(3, results).getJsonArray("claimed_steps"));

    assertThat(claims).hasSize(3);
    assertThat(claims).allMatch(claim -> claim.claimedStep().getJsonObject("context")
        .getJsonObject("from").getInt("n") == 7);
    assertThat(claims).extracting(SqlWorker.Claim::task)
        .isSubsetOf(parents.stream().map(this::child).toList());
    List<SqlWorker.Claim> offered = worker.claim(99);
    assertThat(offered).hasSize(1);
    assertThatHistoryIsSound();

    worker.complete(0, claims.stream().map(SqlWorker.Claim::success).toList());
    worker.complete(0, offered.stream().map(SqlWorker.Claim::success).toList());
    JsonObject round = sql.object("select tasker.advance_due_tasks(?, 100, 1)", worker.uuid());
    assertThat(SqlWorker.claims(round.getJsonArray("claimed_steps"))).hasSize(1);
    assertThat(worker.claim(99)).hasSize(1);
    parents.forEach(parent -> assertThatStep(parent.step("sub")).isIn("complete"));
    assertThatHistoryIsSound();
  }

  @Test
  void first_steps_of_children_and_other_steps_that_are_ready_share_the_limit() {
    Dag.Template child = Dag.of("x").registered();
    calling(child, "").step("c").dependsOn("a").started();
    SqlWorker.Result result = worker.claimOne().success("{\"n\": 7}");
    assertThat(worker.complete(1, List.of(result)).getJsonArray("claimed_steps")).hasSize(1);
    assertThat(worker.claim(99)).hasSize(1);
    assertThatHistoryIsSound();
  }

  @Test
  void a_parent_that_cannot_be_evaluated_holds_up_no_other() {
    Dag.Task faulty = waitingForAChild("");
    worker.complete(claim(child(faulty)).success());
    Dag.Task other = waitingForAChild("");
    worker.complete(claim(child(other)).success());
    sql.run(
        "create function pg_temp.fails() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$");
    sql.run(
        "create trigger fails before update on tasker.workflow_steps for each row when (new.workflow_step_uuid = '"
            + faulty.step("sub")
            + "') execute function pg_temp.fails()");
    try {
      worker.advance();
      assertThatStep(other.step("sub")).isIn("complete");
      assertThatStep(faulty.step("sub")).isIn("pending");
      assertThat(sql.uuid("select task_uuid from tasker.task_faults")).isEqualTo(faulty.uuid());
    } finally {
      sql.run("drop trigger fails on tasker.workflow_steps");
    }
    worker.at(Instant.now().plusSeconds(60)).advance();
    assertThatStep(faulty.step("sub")).isIn("complete");
    worker.at(null);
    assertThatHistoryIsSound();
  }

  @Test
  void children_are_shown_by_page() {
    Dag.Template child = Dag.of("x").registered();
    String call = "{\"task\": {\"name\": \"" + child.name() + "\"}}";
    Dag.Task parent = Dag.of("s1").waitingOnly(call).step("s2").waitingOnly(call).started();
    JsonObject first = sql.object("select tasker.get_child_documents(?, null, 1)", parent.uuid());
    assertThat(first.getJsonArray("children")).hasSize(1);
    JsonObject second = sql.object("select tasker.get_child_documents(?, ?, 1)", parent.uuid(),
        UUID.fromString(first.getString("next")));
    assertThat(second.getJsonArray("children")).hasSize(1);
    assertThat(second.isNull("next")).isTrue();
    assertThat(second.getJsonArray("children").getJsonObject(0).getString("step")).isEqualTo("s2");
    assertThat(sql.text("select tasker.get_child_documents(?)", UUID.randomUUID())).isNull();
  }
}
