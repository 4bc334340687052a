package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A task that was made from another one has its results, and runs again from the chosen steps on.
 */
@DatabaseTest
@DatabaseTest.Covers({"copy_finished_steps", "get_fork_documents", "find_fork_violations"})
class ForkTaskTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private JsonObject fork(Dag.Task source, String data) {
    return sql.object("select tasker.fork_task(?, 'ann', 'try again', ?::jsonb)", source.uuid(),
        data);
  }

  private UUID forked(Dag.Task source, String data) {
    JsonObject reply = fork(source, data);
    assertThat(reply.getString("outcome")).as(reply.toString()).isEqualTo("done");
    return UUID.fromString(reply.getString("task_uuid"));
  }

  private List<String> steps(UUID task) {
    return sql.texts(
        "select concat_ws(' ', coalesce(s.name, n.name), s.state, a.result #>> '{}') from tasker.workflow_steps s "
            + "join tasker.named_steps n using (named_step_uuid) left join tasker.workflow_step_result_audit a "
            + "on a.workflow_step_uuid = s.workflow_step_uuid and a.sort_key = s.result_sort_key where s.task_uuid = ? order by s.step_position",
        task);
  }

  /** Ends every step that can be claimed, of any namespace, with its own name as the result. */
  private void run() {
    for (List<Claim> claims = worker.claim(9); !claims.isEmpty(); claims = worker.claim(9)) {
      for (Claim claim : claims) {
        worker.complete(claim.success(sql.text(
            "select to_jsonb(coalesce(s.name, n.name)) from tasker.workflow_steps s "
                + "join tasker.named_steps n using (named_step_uuid) where s.workflow_step_uuid = ?",
            claim.step())));
      }
    }
  }

  @Test
  void what_is_before_the_chosen_step_is_copied_and_it_runs_again_with_all_that_follows() {
    Dag.Task source = Dag.diamond().started();
    run();

    JsonObject reply = fork(source, "{\"from\": [\"b\"]}");

    assertThat(reply.getInt("copied_steps")).isEqualTo(2);
    assertThat(reply.getString("state")).isEqualTo("steps_in_process");
    UUID fork = UUID.fromString(reply.getString("task_uuid"));
    assertThat(steps(fork)).containsExactly("a complete a", "b enqueued", "c complete c",
        "d pending");
    assertThat(steps(source.uuid())).containsExactly("a complete a", "b complete b", "c complete c",
        "d complete d");
    assertThatHistoryIsSound();
    Claim b = worker.claimOne();
    assertThat(b.claimedStep().getJsonObject("results").getString("a")).isEqualTo("a");
    worker.complete(b.success("\"another\""));
    Claim d = worker.claimOne();
    assertThat(d.claimedStep().getJsonObject("results").toString()).contains("\"b\":\"another\"",
        "\"c\":\"c\"");
    worker.complete(d.success());
    assertThatTask(fork).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void a_reason_may_be_as_long_as_that_of_any_action() {
    Dag.Task source = Dag.of("a").started();
    String reason = "r".repeat(1_000);

    JsonObject reply = sql.object("select tasker.fork_task(?, 'ann', ?, '{\"from\": [\"a\"]}')",
        source.uuid(), reason);

    assertThat(reply.getString("outcome")).isEqualTo("done");
    assertThat(sql.text("select reason from tasker.tasks where task_uuid = ?",
        UUID.fromString(reply.getString("task_uuid"))))
        .isEqualTo(reason);
  }

  @Test
  void a_failed_task_is_forked_with_another_context_and_goes_on_while_it_stays_as_it_is() {
    Dag.Task source = Dag.of("a").step("b").notRetryable().dependsOn("a").step("c").dependsOn("b")
        .context("{\"n\": 1}").started();
    worker.complete(worker.claimOne().success("\"a\""));
    worker.complete(worker.claimOne().permanentFailure());

    UUID fork = forked(source, "{\"from\": [\"b\"], \"context\": {\"n\": 2}}");

    Claim b = worker.claimOne();
    assertThat(b.claimedStep().getJsonObject("context").getInt("n")).isEqualTo(2);
    worker.complete(b.success());
    run();
    assertThatTask(fork).isIn("complete");
    assertThatTask(source).isIn("blocked_by_failures").hasOpenDeadLetter("permanent_failure");
    assertThatHistoryIsSound();
  }

  @Test
  void the_source_may_be_running_and_what_it_has_not_finished_runs_in_the_fork_too() {
    Dag.Task source = Dag.of("a").step("b").step("c").dependsOn("a").step("d").dependsOn("b", "c")
        .started();
    worker.complete(worker.claimOne().success("\"a\""));

    UUID fork = forked(source, "{\"from\": [\"c\"]}");

    assertThat(steps(fork)).containsExactly("a complete a", "b enqueued", "c enqueued",
        "d pending");
    run();
    assertThatTask(fork).isIn("complete");
    assertThatTask(source).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_after_one_that_runs_again_is_not_copied_though_the_source_has_finished_it() {
    Dag.Task source = Dag.linear(4).started();
    run();

    assertThat(steps(forked(source, "{\"from\": [\"s4\", \"s2\"]}"))).containsExactly(
        "s1 complete s1", "s2 enqueued", "s3 pending",
        "s4 pending");
    assertThat(steps(forked(source, "{\"from\": [\"s1\"]}"))).containsExactly("s1 enqueued",
        "s2 pending", "s3 pending", "s4 pending");
    run();
    assertThatHistoryIsSound();
  }

  @Test
  void a_step_that_an_operator_completed_before_its_parent_runs_after_it_in_the_fork() {
    Dag.Task source = Dag.of("a").step("b").step("c").dependsOn("b").started();
    sql.text(
        "select tasker.act_on_step(?, ?, 'complete_manually', 'ann', 'known', '{\"result\": 1}')",
        source.uuid(), source.step("c"));

    assertThat(steps(forked(source, "{\"from\": [\"a\"]}"))).containsExactly("a enqueued",
        "b enqueued", "c pending");
    run();
    assertThatHistoryIsSound();
  }

  @Test
  void a_decision_before_the_chosen_step_has_decided_as_in_the_source_and_one_after_it_decides_anew() {
    Dag.Task source = Dag.of("check").decision().step("small").dependsOn("check").step("large")
        .dependsOn("check")
        .step("end").dependsOn("small", "large").convergence().started();
    worker.complete(worker.claimOne().decided("large"));
    run();
    assertThat(steps(source.uuid())).extracting(step -> step.split(" ")[0]).containsExactly("check",
        "large", "end");

    UUID same = forked(source, "{\"from\": [\"end\"]}");
    assertThat(steps(same)).containsExactly("check complete {}", "large complete large",
        "end enqueued");
    run();
    assertThatTask(same).isIn("complete").counts(0, 0, 0, 0);
    UUID other = forked(source, "{\"from\": [\"check\"]}");
    worker.complete(worker.claimOne().decided("small"));
    run();
    assertThat(steps(other)).containsExactly("check complete {}", "small complete small",
        "end complete end");
    assertThatHistoryIsSound();
  }

  @Test
  void a_decision_by_rules_that_is_copied_does_not_look_at_the_new_context() {
    Dag.Task source = Dag.of("a").step("check").dependsOn("a")
        .decidedBy(
            "{\"rules\": [{\"when\": \"$.context.amount > 10\", \"then\": [\"large\"]}], \"otherwise\": [\"small\"]}")
        .step("small").dependsOn("check").step("large").dependsOn("check")
        .context("{\"amount\": 50}").started();
    run();

    UUID copied = forked(source, "{\"from\": [\"large\"], \"context\": {\"amount\": 1}}");
    UUID anew = forked(source, "{\"from\": [\"check\"], \"context\": {\"amount\": 1}}");
    run();

    assertThat(steps(copied)).extracting(step -> step.split(" ")[0]).containsExactly("a", "check",
        "large");
    assertThat(steps(anew)).extracting(step -> step.split(" ")[0]).containsExactly("a", "check",
        "small");
    assertThatHistoryIsSound();
  }

  private Dag.Task batch(String lastStep, int width) {
    Dag dag = Dag.of("first").step("cut").dependsOn("first").batchable().step("work")
        .dependsOn("cut")
        .batchWorker("{\"parallelism\": 1000}")
        .step("join").dependsOn("work");
    Dag.Task source = (lastStep == null ? dag : dag.step(lastStep).dependsOn("join")).started();
    worker.complete(worker.claimOne().success("\"first\""));
    worker.complete(worker.claimOne().batches(width));
    return source;
  }

  @Test
  void a_batch_is_copied_with_what_it_returned_and_without_its_workers() {
    Dag.Task source = batch(null, 3);
    run();

    UUID fork = forked(source, "{\"from\": [\"join\"]}");

    assertThat(steps(fork)).extracting(step -> step.split(" ")[0]).containsExactly("first", "cut",
        "work", "join");
    Claim join = worker.claimOne();
    assertThat(
        join.claimedStep().getJsonObject("results").getJsonObject("work").getJsonArray("results"))
        .hasSize(3);
    worker.complete(join.success());
    assertThatTask(fork).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource({"cut", "work", "work_002"})
  void a_batch_starts_again_with_its_batchable_step(String from) {
    Dag.Task source = batch(null, 3);
    run();

    UUID fork = forked(source, "{\"from\": [\"" + from + "\"]}");

    assertThat(steps(fork)).containsExactly("first complete first", "cut enqueued", "work pending",
        "join pending");
    worker.complete(worker.claimOne().batches(2));
    run();
    assertThatTask(fork).isIn("complete").counts(0, 0, 0, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void a_batch_that_is_not_closed_starts_again() {
    Dag.Task source = batch(null, 3);
    worker.complete(worker.claimOne().success("1"));

    assertThat(steps(forked(source, "{\"from\": [\"join\"]}"))).containsExactly(
        "first complete first", "cut enqueued", "work pending",
        "join pending");
    assertThatHistoryIsSound();
  }

  @Test
  void what_very_many_workers_returned_is_not_copied_and_the_reply_says_from_where_to_fork() {
    Dag.Task source = batch("last", 1_001);
    worker.runToTheEnd();

    assertThat(fork(source, "{\"from\": [\"join\"]}").toString()).contains("\"refused\"",
        "\"fork-not-possible\"",
        "step join reads what the many workers of batch work returned, which is not copied; fork from cut");
    UUID fork = forked(source, "{\"from\": [\"last\"]}");
    assertThat(sql.number("select count(*) from tasker.workflow_steps where task_uuid = ?", fork))
        .isEqualTo(5);
    worker.runToTheEnd();
    assertThatTask(fork).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void a_wait_that_is_over_in_the_source_is_over_in_the_fork_and_one_that_runs_again_waits_again() {
    Dag.Task source = Dag.of("a").step("rest").dependsOn("a")
        .waitingOnly("{\"wait\": {\"for\": \"PT1H\"}}").step("b").dependsOn("rest")
        .started();
    worker.complete(worker.claimOne().success("\"a\""));
    worker.at(Instant.now().plus(Duration.ofHours(2))).advance();
    worker.at(null);
    run();
    assertThatTask(source).isIn("complete");

    assertThat(steps(forked(source, "{\"from\": [\"b\"]}"))).element(2).isEqualTo("b enqueued");
    UUID waiting = forked(source, "{\"from\": [\"rest\"]}");
    assertThat(steps(waiting)).containsExactly("a complete a", "rest pending", "b pending");
    assertThat(sql.texts("select state from tasker.step_waits where task_uuid = ?", waiting))
        .containsExactly("open");
    assertThatHistoryIsSound();
  }

  @Test
  void a_child_that_has_ended_is_not_submitted_again_unless_its_step_runs_again() {
    Dag.Template leaf = Dag.of("x").registered();
    Dag.Task source = Dag.of("sub")
        .waitingOnly("{\"task\": {\"namespace\": \"orders\", \"name\": \"" + leaf.name() + "\"}}")
        .step("b").dependsOn("sub").started();
    run();
    worker.advance();
    run();
    assertThatTask(source).isIn("complete");

    assertThat(steps(forked(source, "{\"from\": [\"b\"]}")))
        .containsExactly("sub complete {\"x\": \"x\"}", "b enqueued");
    run();
    UUID again = forked(source, "{\"from\": [\"sub\"]}");
    assertThat(sql.number("select count(*) from tasker.tasks where parent_task_uuid = ?", again))
        .isEqualTo(1);
    run();
    worker.advance();
    run();
    assertThatTask(again).isIn("complete");
    assertThat(sql.number("select count(*) from tasker.tasks where parent_task_uuid is not null"))
        .isEqualTo(2);
    assertThatHistoryIsSound();
  }

  @Test
  void a_fork_of_a_child_is_no_child() {
    Dag.Template leaf = Dag.of("x").registered();
    Dag.Task source = Dag.of("sub")
        .waitingOnly("{\"task\": {\"namespace\": \"orders\", \"name\": \"" + leaf.name() + "\"}}")
        .started();
    run();
    worker.advance();
    UUID child = sql.uuid("select task_uuid from tasker.tasks where parent_task_uuid = ?",
        source.uuid());

    UUID fork = UUID
        .fromString(
            sql.object("select tasker.fork_task(?, 'ann', 'again', '{\"from\": [\"x\"]}')", child)
                .getString("task_uuid"));

    assertThat(sql.isTrue(
        "select parent_task_uuid is null and parent_step_uuid is null from tasker.tasks where task_uuid = ?",
        fork))
        .isTrue();
    run();
    assertThatTask(fork).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void steps_that_an_operator_closed_are_closed_in_the_fork() {
    Dag.Task source = Dag.of("a").notRetryable().step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    sql.text("select tasker.act_on_step(?, ?, 'resolve_manually', 'ann', 'not needed')",
        source.uuid(), source.step("a"));
    run();

    assertThat(steps(forked(source, "{\"from\": [\"b\"]}"))).containsExactly("a resolved_manually",
        "b enqueued");
    run();
    assertThatHistoryIsSound();
  }

  @Test
  void a_fork_of_a_unique_task_has_an_identity_of_its_own() {
    Dag.Task source = Dag.linear(2).identity("strict").started();
    run();

    assertThat(forked(source, "{\"from\": [\"s2\"]}")).isNotEqualTo(source.uuid());
    run();
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource({"strict", "caller_provided", "always_unique"})
  void every_fork_is_a_task_of_its_own_and_a_key_makes_it_once(String identity) {
    Dag.Task source = Dag.linear(2).identity(identity).option("idempotency_key", "order-1")
        .started();
    run();

    UUID first = forked(source, "{\"from\": [\"s2\"]}");
    assertThat(forked(source, "{\"from\": [\"s2\"]}")).isNotEqualTo(first);
    UUID keyed = forked(source, "{\"from\": [\"s2\"], \"idempotency_key\": \"once\"}");
    JsonObject again = fork(source, "{\"from\": [\"s2\"], \"idempotency_key\": \"once\"}");
    assertThat(again.getString("outcome")).isEqualTo("already");
    assertThat(again.getString("task_uuid")).isEqualTo(keyed.toString());
    assertThat(again.getInt("copied_steps")).isEqualTo(1);
    assertThat(fork(source, "{\"from\": [\"s2\"], \"idempotency_key\": \"order-1\"}").toString())
        .contains("\"refused\"", "\"idempotency-key-taken\"");
    run();
    assertThatHistoryIsSound();
  }

  @Test
  void a_fork_of_a_paused_template_starts_when_the_pause_ends() {
    Dag.Task source = Dag.linear(2).started();
    run();
    sql.text("select tasker.pause_templates('orders', ?, null, 'ann', 'maintenance')",
        source.template().name());

    UUID fork = forked(source, "{\"from\": [\"s2\"]}");

    assertThatTask(fork).isIn("waiting_for_dependencies").counts(1, 0, 0, 0);
    assertThatHistoryIsSound();
    sql.text("select tasker.resume_templates('orders', ?, null, 'ann', 'done')",
        source.template().name());
    worker.advance();
    run();
    assertThatTask(fork).isIn("complete");
    assertThatHistoryIsSound();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "{}                                            | from               | must be an array of 1 to 1000 names of steps",
    "{\"from\": []}                                | from               | must be an array of 1 to 1000 names of steps",
    "{\"from\": [1]}                               | from               | must be an array of 1 to 1000 names of steps",
    "{\"from\": [\"s1\", \"x\"]}                   | from[1]            | the task has no step x",
    "{\"from\": [\"s1\"], \"context\": []}         | context            | must be an object",
    "{\"from\": [\"s1\"], \"priority\": 101}       | priority           | must be a whole number between -100 and 100",
    "{\"from\": [\"s1\"], \"priority\": null}      | priority           | must be a whole number between -100 and 100",
    "{\"from\": [\"s1\"], \"idempotency_key\": \"\"} | idempotency_key  | must be a text of 1 to 255 characters",
    "{\"from\": [\"s1\"], \"version\": \"2\"}      | version            | is unknown; known are from, context, idempotency_key, initiator, priority, tags",
    "[]                                            | data               | must be an object"})
  void a_wrong_request_names_its_field_and_makes_nothing(String data, String field,
      String message) {
    Dag.Task source = Dag.linear(2).started();

    JsonObject reply = fork(source, data);

    assertThat(reply.getString("code")).isEqualTo("invalid-request");
    assertThat(reply.getString("field")).isEqualTo(field);
    assertThat(reply.getString("message")).isEqualTo(message);
    assertThat(sql.number("select count(*) from tasker.tasks")).isEqualTo(1);
    assertThatThrownBy(() -> sql
        .text("select tasker.fork_task(?, 'ann', '', '{\"from\": [\"s1\"]}')", source.uuid()))
        .hasMessageContaining("reason");
  }

  @Test
  void a_task_to_which_steps_were_added_is_not_forked() {
    Dag.Task source = Dag.linear(2).started();
    sql.text("select tasker.add_steps(?, '[{\"name\": \"extra\", \"step\": \"s2\"}]')",
        source.uuid());

    assertThat(fork(source, "{\"from\": [\"s2\"]}").toString()).contains("\"fork-not-possible\"",
        "steps were added to the task");
  }

  @Test
  void a_result_that_comes_at_the_same_time_is_copied_whole_or_not_at_all() {
    Dag.Task source = Dag.linear(3).started();
    Claim claim = worker.claimOne();
    try (Sql forking = Sql.session(); Sql completing = Sql.session()) {
      forking.text("select tasker.fork_task(?, 'ann', 'try again', '{\"from\": [\"s3\"]}')",
          source.uuid());
      Sql.Later<JsonObject> waiting = completing
          .later(s -> SqlWorker.in(s).complete(claim.success("1"))).untilItWaits();
      forking.commit();
      waiting.get();
      completing.commit();
    }
    run();
    assertThat(sql.texts("select copied_steps from tasker.task_forks")).containsExactly("0");
    assertThatHistoryIsSound();
  }

  @Test
  void a_fork_outlives_its_source_and_the_list_of_forks_shows_both_ways() {
    Dag.Task source = Dag.linear(2).started();
    run();
    UUID fork = forked(source, "{\"from\": [\"s2\"]}");
    UUID second = forked(source, "{\"from\": [\"s1\"]}");

    JsonObject of = sql.object("select tasker.get_fork_documents(?, 1)", source.uuid());
    assertThat(of.get("forked_from").toString()).isEqualTo("null");
    assertThat(of.getJsonArray("forks").getJsonObject(0).getString("task_uuid"))
        .isEqualTo(second.toString());
    JsonObject rest = sql.object("select tasker.get_fork_documents(?, 9, ?)", source.uuid(),
        UUID.fromString(of.getString("next")));
    assertThat(rest.getJsonArray("forks")).hasSize(1);
    assertThat(rest.get("next").toString()).isEqualTo("null");
    sql.text("select tasker.set_retention_policy('orders', ?, 'complete', 1, 'ann', 'test')",
        source.template().name());
    sql.text("select tasker.roll_up_analytics()");
    sql.text("select tasker.purge_expired_tasks(p_now => ?)",
        Instant.now().plus(Duration.ofDays(2)));
    run();
    assertThat(
        sql.isTrue("select exists (select from tasker.tasks where task_uuid = ?)", source.uuid()))
        .isFalse();
    assertThatHistoryIsSound();
    JsonObject from = sql.object("select tasker.get_fork_documents(?)", fork)
        .getJsonObject("forked_from");
    assertThat(from.getString("task_uuid")).isEqualTo(source.uuid().toString());
    assertThat(from.getJsonArray("from_steps").getString(0)).isEqualTo("s2");
    assertThat(from.getInt("copied_steps")).isEqualTo(1);
    assertThat(sql.texts(
        "select details ->> 'fork_task_uuid' from tasker.operator_actions where action = 'forked'"))
        .contains(fork.toString());
  }
}
