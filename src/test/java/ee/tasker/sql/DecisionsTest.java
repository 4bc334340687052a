package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions choose the steps that a task goes on with. */
@DatabaseTest
@DatabaseTest.Covers({"plan_growth", "check_decision", "calculate_decision_depth",
  "judge_decisions", "record_decisions",
  "expand_decisions", "check_choice",
  "decide_steps", "grow_tasks", "rank_grown_steps", "find_growth_violations",
  "get_decision_documents"})
class DecisionsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  /** a → route → one of x, y → end, which joins what there is. */
  private static Dag routed() {
    return Dag.of("a").step("route").dependsOn("a").decision().step("x").dependsOn("route")
        .step("y").dependsOn("route")
        .step("end").dependsOn("x", "y").convergence();
  }

  private static Dag ruled(String rules) {
    return Dag.of("a").step("route").dependsOn("a").decidedBy(rules).step("x").dependsOn("route")
        .step("y").dependsOn("route")
        .step("end").dependsOn("x", "y").convergence();
  }

  private List<String> states(Dag.Task task) {
    return sql.texts(
        "select concat_ws(' ', coalesce(s.name, n.name), s.state, s.remaining_parents || '/' || s.total_parents) "
            + "from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? order by s.step_position",
        task.uuid());
  }

  private List<String> edges(Dag.Task task, String step) {
    return sql
        .texts(
            "select n.name from tasker.workflow_step_edges e join tasker.workflow_steps s on s.workflow_step_uuid = e.from_step_uuid "
                + "join tasker.named_steps n using (named_step_uuid) where e.to_step_uuid = ? order by 1",
            task.step(step));
  }

  /**
   * Completes steps until none is left to claim; {@code choices} answers for the decisions that
   * have a handler, by name.
   */
  private List<String> run(Dag.Task task, java.util.Map<String, String[]> choices) {
    List<String> order = new ArrayList<>();
    for (List<Claim> claims = worker.claim(1); !claims.isEmpty(); claims = worker.claim(1)) {
      Claim claim = claims.get(0);
      String name = sql.text(
          "select n.name from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.workflow_step_uuid = ?",
          claim.step());
      order.add(name);
      worker
          .complete(choices.containsKey(name) ? claim.decided(choices.get(name)) : claim.success());
    }
    return order;
  }

  private JsonObject error(Dag.Task task, String step) {
    return sql.object(
        "select a.error from tasker.workflow_steps s join tasker.workflow_step_result_audit a "
            + "on a.workflow_step_uuid = s.workflow_step_uuid and a.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step(step));
  }

  @Test
  void a_task_begins_without_the_steps_downstream_of_a_decision() {
    Dag.Task task = routed().started();

    assertThat(states(task)).containsExactly("a enqueued 0/0", "route pending 1/1");
    assertThatTask(task).counts(2, 1, 0, 0);
    assertThatHistoryIsSound();
  }

  @Test
  void what_a_decision_chose_is_there_in_the_transaction_of_its_result_and_nothing_else() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    JsonObject reply = worker.complete(9, List.of(worker.claimOne().decided("y")));

    assertThat(SqlWorker.claims(reply.getJsonArray("claimed_steps"))).extracting(Claim::step)
        .containsExactly(task.step("y"));
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "y in_progress 0/1", "end pending 1/1");
    assertThat(edges(task, "y")).containsExactly("route");
    assertThat(edges(task, "end")).containsExactly("y");
    assertThat(sql.text(
        "select concat_ws(' ', chosen, depth, created_steps, reason) from tasker.decision_outcomes where task_uuid = ?",
        task.uuid()))
        .isEqualTo("{y} 1 2");
    assertThatHistoryIsSound();

    worker.complete(SqlWorker.claims(reply.getJsonArray("claimed_steps")).get(0).success());
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
  }

  private long steps(Dag.Task task) {
    return sql.number("select total_steps from tasker.tasks where task_uuid = ?", task.uuid());
  }

  @Test
  void a_decision_for_nothing_ends_the_task_and_skips_what_would_have_joined() {
    Dag.Task task = routed().started();

    assertThat(run(task, java.util.Map.of("route", new String[0]))).containsExactly("a", "route");
    assertThat(steps(task)).isEqualTo(2);
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
  }

  @Test
  void a_convergence_that_runs_on_none_runs_after_the_decision() {
    Dag.Task task = Dag.of("a").step("route").dependsOn("a").decision().step("x").dependsOn("route")
        .step("end").dependsOn("x").convergenceThatRuns().step("after").dependsOn("end").started();

    assertThat(run(task, java.util.Map.of("route", new String[0]))).containsExactly("a", "route",
        "end", "after");
    assertThatTask(task).isIn("complete");
    assertThat(edges(task, "end")).containsExactly("route");
  }

  @Test
  void a_convergence_inside_a_branch_that_was_not_taken_does_not_run_on_none() {
    Dag graph = Dag.of("a").step("outer").dependsOn("a").decision().step("left").dependsOn("outer")
        .step("inner").dependsOn("left")
        .decision()
        .step("x").dependsOn("inner").step("in_join").dependsOn("x").convergenceThatRuns()
        .step("right").dependsOn("outer").step("join").dependsOn("right", "in_join")
        .convergenceThatRuns();

    assertThat(run(graph.started(), java.util.Map.of("outer", new String[0]))).containsExactly("a",
        "outer", "join");
    assertThat(run(graph.started(),
        java.util.Map.of("outer", new String[]{"left"}, "inner", new String[0])))
        .containsExactly("a", "outer", "left", "inner", "in_join", "join");
    assertThat(run(graph.started(), java.util.Map.of("outer", new String[]{"right"})))
        .containsExactly("a", "outer", "right", "join");
  }

  @Test
  void what_follows_from_a_chosen_step_is_created_with_it_up_to_the_next_decision() {
    Dag.Task task = Dag.of("a").step("route").dependsOn("a").decision().step("x").dependsOn("route")
        .step("x2").dependsOn("x")
        .step("again").dependsOn("x2").decision().step("z").dependsOn("again").step("y")
        .dependsOn("route").step("y2").dependsOn("y", "x2")
        .started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("x"));

    // A step that is no convergence follows from any of its parents.
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "x enqueued 0/1", "x2 pending 1/1",
        "again pending 1/1",
        "y2 pending 1/1");
    assertThat(run(task, java.util.Map.of("again", new String[]{"z"}))).containsExactly("x", "x2",
        "again", "y2", "z");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_step_may_be_chosen_past_others_and_then_waits_for_the_decision_alone() {
    Dag.Task task = Dag.of("a").step("route").dependsOn("a").decision().step("x").dependsOn("route")
        .step("x2").dependsOn("x").started();

    assertThat(run(task, java.util.Map.of("route", new String[]{"x2"}))).containsExactly("a",
        "route", "x2");
    assertThat(edges(task, "x2")).containsExactly("route");
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
  }

  /** Its depth is counted from what created it, not only from what its steps follow. */
  @Test
  void a_decision_below_a_join_that_another_choice_made_is_deeper_than_that_decision() {
    Dag.Task task = Dag.of("a").step("d1").dependsOn("a").decision().step("x").dependsOn("d1")
        .step("join").dependsOn("a", "x").convergence().step("d2").dependsOn("join").decision()
        .step("z").dependsOn("d2").started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided());
    assertThat(edges(task, "join")).as("nothing of the decision is above it").containsExactly("a");
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("z"));

    assertThat(sql.texts("select depth from tasker.decision_outcomes order by decided_at"))
        .containsExactly("1", "2");
    assertThatHistoryIsSound();
  }

  @Test
  void a_join_of_two_decisions_is_created_when_both_are_made() {
    Dag graph = Dag.of("a").step("d1").dependsOn("a").decision().step("d2").dependsOn("a")
        .decision()
        .step("x").dependsOn("d1").step("y").dependsOn("d2").step("both").dependsOn("d1", "d2", "a")
        .step("end").dependsOn("x", "y")
        .convergence();
    Dag.Task task = graph.started();
    worker.complete(worker.claimOne().success());
    List<Claim> decisions = worker.claim(2);
    worker.complete(decisions.get(0).decided("both",
        decisions.get(0).step().equals(task.step("d1")) ? "x" : "y"));
    assertThat(states(task)).hasSize(4);

    worker.complete(decisions.get(1).decided());
    assertThat(states(task)).hasSize(6).anyMatch("both enqueued 0/3"::equals)
        .anyMatch("end pending 1/1"::equals);
    run(task, java.util.Map.of());
    assertThatTask(task).isIn("complete");

    // Both in one call.
    Dag.Task other = graph.started();
    worker.complete(worker.claimOne().success());
    List<Claim> both = worker.claim(2);
    worker.complete(both.get(0).decided(both.get(0).step().equals(other.step("d1")) ? "x" : "y"),
        both.get(1).decided(both.get(1).step().equals(other.step("d1")) ? "x" : "y"));
    assertThat(edges(other, "end")).containsExactly("x", "y");
    run(other, java.util.Map.of());
    assertThatTask(other).isIn("complete").counts(0, 0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', textBlock = """
      "x"; a decision must say which steps it chose: an array of names, empty for none
      ["x", 1]; a decision must say which steps it chose: an array of names, empty for none
      null; a decision must say which steps it chose: an array of names, empty for none
      ["z"]; there is no step "z" in the template
      ["a"]; step "a" does not depend on this decision
      ["route"]; step "route" does not depend on this decision
      ["x", "y", "x"]; step "x" is chosen twice
      """)
  void a_wrong_choice_is_an_error_of_the_step_and_creates_nothing(String choice, String message) {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    try (var reader = Json.createReader(new java.io.StringReader("[" + choice + "]"))) {
      worker.complete(worker.claimOne().decided(reader.readArray().get(0)));
    }

    assertThatStep(task.step("route")).isIn("error");
    assertThat(error(task, "route").getString("type")).isEqualTo("invalid_decision");
    assertThat(error(task, "route").getString("message")).isEqualTo(message);
    assertThatTask(task).isIn("blocked_by_failures").counts(1, 0, 1, 0);
    assertThat(sql.number("select count(*) from tasker.decision_outcomes where task_uuid = ?",
        task.uuid())).isZero();
  }

  @Test
  void a_decision_without_a_choice_and_a_choice_without_a_decision_are_errors() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().decided("x"));
    assertThat(error(task, "a").getString("message"))
        .isEqualTo("this step is no decision, and chooses no steps");

    Dag.Task other = routed().started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    assertThat(error(other, "route").getString("message"))
        .startsWith("a decision must say which steps it chose");
    sql.object("select tasker.act_on_step(?, ?, 'reset_for_retry', 'ann', 'the handler is mended')",
        other.uuid(), other.step("route"));
    worker.complete(worker.claimOne().decided("x"));
    assertThat(states(other)).contains("x enqueued 0/1");
  }

  @Test
  void a_decision_has_limits() {
    Dag wide = routed().lifecycle("max_steps_per_decision", 2);
    assertThat(run(wide.started(), java.util.Map.of("route", new String[]{"x"})))
        .containsExactly("a", "route", "x", "end");
    Dag.Task task = wide.started();
    run(task, java.util.Map.of("route", new String[]{"x", "y"}));
    assertThat(error(task, "route").getString("message"))
        .isEqualTo("it would create 3 steps, and max_steps_per_decision is 2");

    Dag deep = Dag.of("a").step("d1").dependsOn("a").decision().step("d2").dependsOn("d1")
        .decision().step("b").dependsOn("d2")
        .step("d3").dependsOn("b").decision().step("x").dependsOn("d3")
        .lifecycle("max_decision_depth", 2);
    Dag.Task below = deep.started();
    run(below, java.util.Map.of("d1", new String[]{"d2"}, "d2", new String[]{"b"}, "d3",
        new String[]{"x"}));
    assertThat(error(below, "d3").getString("message"))
        .isEqualTo("it is 3 decisions deep, below d1, d2, and max_decision_depth is 2");
    assertThat(sql.number("select tasker.calculate_decision_depth(?)", below.step("d3")))
        .isEqualTo(3);
    assertThat(sql.text("select tasker.calculate_decision_depth(?)", UUID.randomUUID())).isNull();
  }

  @Test
  void rules_decide_without_a_handler_in_the_transaction_that_completes_the_last_parent() {
    String rules = "{\"rules\": [{\"when\": \"$.results.a.n > 5\", \"then\": [\"x\"]}, {\"when\": \"$.context.all\", \"then\": [\"x\", \"y\"]}],"
        + " \"otherwise\": [\"y\"]}";
    Dag.Task first = ruled(rules).started();
    worker.complete(worker.claimOne().success("{\"n\": 6}"));
    assertThat(states(first)).containsExactly("a complete 0/0", "route complete 0/1",
        "x enqueued 0/1", "end pending 1/1");
    assertThat(sql.text("select reason from tasker.decision_outcomes"))
        .isEqualTo("rules[0]: $.results.a.n > 5");
    assertThat(sql.object("select tasker.get_expression_document(?)", first.uuid())
        .getJsonObject("results").getJsonObject("route"))
        .hasToString("{\"chosen\":[\"x\"],\"reason\":\"rules[0]: $.results.a.n > 5\"}");
    worker.runToTheEnd();
    assertThatTask(first).isIn("complete");

    Dag.Task second = ruled(rules).context("{\"all\": true}").started();
    worker.complete(worker.claimOne().success("{\"n\": 1}"));
    assertThat(states(second)).containsExactly("a complete 0/0", "route complete 0/1",
        "x enqueued 0/1", "y enqueued 0/1",
        "end pending 2/2");

    worker.runToTheEnd();
    Dag.Task third = ruled(rules).started();
    worker.complete(worker.claimOne().success("{\"n\": 1}"));
    assertThat(states(third)).contains("y enqueued 0/1").hasSize(4);
  }

  @Test
  void a_caller_with_permits_gets_what_a_decision_by_rules_created_and_never_the_decision() {
    Dag.Task task = ruled(
        "{\"rules\": [{\"when\": \"$.context.n > 5\", \"then\": [\"x\"]}], \"otherwise\": [\"y\"]}")
        .started();
    JsonObject reply = worker.complete(5, List.of(worker.claimOne().success()));

    assertThat(SqlWorker.claims(reply.getJsonArray("claimed_steps"))).extracting(Claim::step)
        .containsExactly(task.step("y"));
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "y in_progress 0/1", "end pending 1/1");
  }

  @Test
  void decisions_by_rules_follow_from_each_other_in_one_transaction() {
    Dag graph = Dag.of("a");
    for (int i = 1; i <= 12; i++) {
      graph.step("d" + i).dependsOn(i == 1 ? "a" : "d" + (i - 1))
          .decidedBy(
              "{\"rules\": [{\"when\": \"$.context.deep >= " + i + "\", \"then\": [\""
                  + (i == 12 ? "last" : "d" + (i + 1)) + "\"]}]}");
    }
    Dag.Task task = graph.step("last").dependsOn("d12").context("{\"deep\": 12}")
        .lifecycle("max_decision_depth", 16).started();
    worker.complete(worker.claimOne().success());

    assertThat(states(task)).hasSize(14).contains("last enqueued 0/1");
    assertThat(sql.number("select max(depth) from tasker.decision_outcomes")).isEqualTo(12);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
  }

  @Test
  void a_rule_that_cannot_be_answered_is_an_error_with_its_path_and_document_and_starts_nothing_else() {
    Dag.Task task = Dag.of("a").step("route").dependsOn("a")
        .decidedBy("{\"rules\": [{\"when\": \"$.context.secret > 5\", \"then\": [\"x\"]}]}")
        .step("x").dependsOn("route").step("other").dependsOn("a")
        .context("{\"secret\": \"s3cr3t\"}").started();
    worker.complete(worker.claimOne().success("{\"n\": 6}"));

    JsonObject error = error(task, "route");
    assertThat(error.getString("type")).isEqualTo("expression_error");
    assertThat(error.getString("message")).startsWith("rules[0].when is unknown");
    assertThat(error.getJsonObject("details").getString("path")).isEqualTo("$.context.secret > 5");
    assertThat(error.getJsonObject("details").getJsonObject("document").getJsonObject("results"))
        .hasToString("{\"a\":{\"n\":6}}");
    assertThat(error.toString()).doesNotContain("s3cr3t");
    assertThat(states(task)).containsExactly("a complete 0/0", "route error 0/1",
        "other pending 0/1");
    assertThatTask(task).isIn("blocked_by_failures");

    // An operator gives another context; the same rules decide again.
    sql.object(
        "select tasker.act_on_task(?, 'retry', 'ann', 'a number now', '{\"context\": {\"secret\": 7}}')",
        task.uuid());
    assertThat(states(task)).contains("route complete 0/1", "x enqueued 0/1", "other enqueued 0/1");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void with_continue_the_others_go_on_beside_a_decision_that_failed() {
    Dag.Task task = Dag.of("a").step("route").dependsOn("a")
        .decidedBy("{\"rules\": [{\"when\": \"$.context.n > 5\", \"then\": [\"x\"]}]}")
        .step("x").dependsOn("route").step("other").dependsOn("a").context("{\"n\": \"?\"}")
        .continueOnError().started();
    worker.complete(worker.claimOne().success());

    assertThat(states(task)).containsExactly("a complete 0/0", "route error 0/1",
        "other enqueued 0/1");
    worker.runToTheEnd();
    assertThatTask(task).isIn("blocked_by_failures");
  }

  @Test
  void a_paused_template_decides_when_it_is_resumed() {
    Dag.Task task = ruled(
        "{\"rules\": [{\"when\": \"$.context.n > 5\", \"then\": [\"x\"]}], \"otherwise\": [\"y\"]}")
        .started();
    Claim first = worker.claimOne();
    sql.text(
        "insert into tasker.template_pauses (named_task_uuid, is_namespace, paused_at, paused_by, reason) values (?, false, now(), 'ann', 'wait') "
            + "returning reason",
        task.template().uuid());
    worker.complete(first.success());
    assertThat(states(task)).containsExactly("a complete 0/0", "route pending 0/1");
    assertThatTask(task).isIn("waiting_for_dependencies");

    sql.run("delete from tasker.template_pauses");
    sql.object("select tasker.evaluate_tasks(array[?]::uuid[], null)", task.uuid());
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "y enqueued 0/1", "end pending 1/1");
  }

  @Test
  void nothing_grows_after_a_cancel_request() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    Claim route = worker.claimOne();
    sql.object("select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')", task.uuid());
    worker.complete(route.decided("x", "y"));

    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1");
    assertThatTask(task).isIn("cancelled");
    assertThat(
        sql.text("select concat_ws(' ', chosen, created_steps) from tasker.decision_outcomes"))
        .isEqualTo("{x,y} 0");
  }

  @Test
  void a_branch_grows_while_another_step_has_failed_and_starts_when_that_is_mended() {
    Dag.Task task = routed().step("fails").dependsOn("a").maxAttempts(1).started();
    worker.complete(worker.claimOne().success());
    List<Claim> claims = worker.claim(2);
    Claim route = claims.stream().filter(claim -> claim.step().equals(task.step("route")))
        .findFirst().orElseThrow();
    Claim fails = claims.stream().filter(claim -> !claim.step().equals(task.step("route")))
        .findFirst().orElseThrow();
    worker.complete(fails.permanentFailure());
    worker.complete(route.decided("x"));

    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "x pending 0/1", "end pending 1/1", "fails error 0/1");
    assertThatTask(task).isIn("blocked_by_failures");
    sql.object("select tasker.act_on_step(?, ?, 'resolve_manually', 'ann', 'fine')", task.uuid(),
        task.step("fails"));
    assertThat(run(task, java.util.Map.of())).containsExactly("x", "end");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_server_that_only_works_leaves_the_growth_to_an_orchestrator() {
    Dag.Task task = routed().started();
    worker.submitResults(worker.claimOne().success());
    worker.advance();
    sql.object("select tasker.evaluate_tasks(array[?]::uuid[], null)", task.uuid());
    worker.submitResults(worker.claimOne().decided("x"));
    assertThat(states(task)).containsExactly("a complete 0/0",
        "route enqueued_for_orchestration 0/1");
    assertThat(sql.text(
        "select concat_ws(' ', chosen, coalesce(created_steps::text, 'open')) from tasker.decision_outcomes"))
        .isEqualTo("{x} open");

    sql.object("select tasker.process_step_results(null)");
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "x enqueued 0/1", "end pending 1/1");
    assertThat(sql.number("select created_steps from tasker.decision_outcomes")).isEqualTo(2);
  }

  @Test
  void an_operator_completes_a_decision_with_a_choice_or_closes_it_with_none() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("nowhere"));
    String act = "select tasker.act_on_step(?, ?, ?, 'ann', 'by hand', ?::jsonb)";

    JsonObject refused = sql.object(act, task.uuid(), task.step("route"), "complete_manually",
        "{\"result\": {}}");
    assertThat(refused.getString("field")).isEqualTo("completion_data/decision");
    assertThat(sql
        .object(act, task.uuid(), task.step("route"), "complete_manually",
            "{\"result\": {}, \"decision\": [\"nowhere\"]}")
        .getString("message"))
        .isEqualTo("there is no step \"nowhere\" in the template");
    assertThat(sql
        .object(act, task.uuid(), task.step("route"), "resolve_manually", "{\"decision\": [\"x\"]}")
        .getString("field"))
        .isEqualTo("completion_data/decision");
    assertThat(sql.object(act, task.uuid(), task.step("a"), "complete_manually",
        "{\"result\": {}, \"decision\": []}").getString("code"))
        .isEqualTo("step-not-movable");
    assertThat(states(task)).hasSize(2);

    assertThat(sql
        .object(act, task.uuid(), task.step("route"), "complete_manually",
            "{\"result\": {}, \"decision\": [\"x\"]}")
        .getString("outcome"))
        .isEqualTo("done");
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "x enqueued 0/1", "end pending 1/1");
    assertThat(sql.text("select reason from tasker.decision_outcomes"))
        .isEqualTo("completed by an operator");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");

    Dag.Task other = routed().started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("nowhere"));
    sql.object(act, other.uuid(), other.step("route"), "resolve_manually", "{}");
    assertThatTask(other).isIn("complete").counts(0, 0, 0, 0);
  }

  @Test
  void a_decision_that_was_carried_out_is_not_reset() {
    Dag.Task task = routed().maxAttempts(1).started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("x"));
    worker.complete(worker.claimOne().permanentFailure());

    JsonObject refused = sql.object(
        "select tasker.act_on_task(?, 'retry_from_step', 'ann', 'again', '{\"step\": \"a\", \"rerun_completed\": true}')",
        task.uuid());
    assertThat(refused.getString("code")).isEqualTo("step-not-movable");
    assertThatThrownBy(
        () -> sql.text(
            "select tasker.transition_step_state_atomic(?, 1, 'complete', 'pending', 'operator', null)",
            task.step("route")))
        .isInstanceOfSatisfying(Sql.SqlProblem.class,
            problem -> assertThat(problem.state()).isEqualTo("TK005"));
    sql.object(
        "select tasker.act_on_task(?, 'retry_from_step', 'ann', 'again', '{\"step\": \"x\"}')",
        task.uuid());
    assertThat(run(task, java.util.Map.of())).containsExactly("x", "end");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void one_step_at_a_time_by_hand_decides_too() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    Claim route = worker.claimOne();
    String move = "select tasker.transition_step_state_atomic(?, ?, ?, ?, ?, ?, ?::jsonb)";
    assertThatThrownBy(
        () -> sql.text(move, route.step(), 1, "in_progress", "enqueued_for_orchestration", "worker",
            worker.uuid(), "{\"result\": {}}"))
        .hasMessageContaining("cannot decide: a decision must say which steps it chose");
    assertThat(sql.isTrue(move, route.step(), 1, "in_progress", "enqueued_for_orchestration",
        "worker", worker.uuid(),
        "{\"result\": {}, \"decision\": [\"y\"]}")).isTrue();
    assertThat(sql.isTrue(move, route.step(), 1, "enqueued_for_orchestration", "complete",
        "orchestrator", null, "{}")).isTrue();
    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "y enqueued 0/1", "end pending 1/1");
    worker.runToTheEnd();

    Dag.Task ruled = ruled("{\"rules\": [{\"when\": \"$.context.n > 5\", \"then\": [\"x\"]}]}")
        .started();
    assertThat(
        sql.isTrue(move, ruled.step("route"), 0, "pending", "complete", "orchestrator", null, "{}"))
        .isFalse();
    assertThat(
        sql.isTrue(move, ruled.step("route"), 0, "pending", "enqueued", "orchestrator", null, "{}"))
        .isFalse();
    Claim a = worker.claimOne();
    sql.text(
        "insert into tasker.template_pauses (named_task_uuid, is_namespace, paused_at, paused_by, reason) values (?, false, now(), 'ann', 'wait') "
            + "returning reason",
        ruled.template().uuid());
    worker.complete(a.success());
    sql.run("delete from tasker.template_pauses");
    assertThat(
        sql.isTrue(move, ruled.step("route"), 0, "pending", "complete", "orchestrator", null, "{}"))
        .isTrue();
    assertThatTask(ruled).isIn("complete");
  }

  @Test
  void a_late_result_of_a_decision_changes_nothing() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    Claim route = worker.claimOne();
    assertThat(worker.complete(route.asHandoff(0).decided("x")).getJsonArray("refused")
        .getJsonObject(0).getString("verdict"))
        .isEqualTo("STALE");
    worker.complete(route.decided("x"));
    assertThat(worker.complete(route.decided("y")).getJsonArray("refused").getJsonObject(0)
        .getString("verdict")).isEqualTo("ALREADY");

    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "x enqueued 0/1", "end pending 1/1");
    assertThat(sql.text("select chosen from tasker.decision_outcomes")).isEqualTo("{x}");
  }

  @Test
  void a_thousand_steps_in_a_row_are_skipped_or_created_at_once() {
    Dag graph = Dag.of("a").step("route").dependsOn("a").decision()
        .lifecycle("max_steps_per_decision", 1000);
    for (int i = 1; i <= 999; i++) {
      graph.step("s" + i).dependsOn(i == 1 ? "route" : "s" + (i - 1));
    }
    Dag.Task skipped = graph.started();
    run(skipped, java.util.Map.of("route", new String[0]));
    assertThatTask(skipped).isIn("complete").counts(0, 0, 0, 0);

    Dag.Task created = graph.started();
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("s1"));
    assertThatTask(created).counts(999, 1, 0, 0);
  }

  @Test
  void steps_are_added_beside_those_that_grow() {
    Dag.Task task = routed().started();
    String add = "select tasker.add_steps(?, ?::jsonb, ?::jsonb)";
    assertThat(sql.object(add, task.uuid(), "[{\"name\": \"x\", \"step\": \"a\"}]", "[]")
        .getString("code")).isEqualTo("step-name-taken");
    assertThat(sql.object(add, task.uuid(), "[{\"name\": \"more\", \"step\": \"route\"}]", "[]")
        .getString("message"))
        .isEqualTo("step route of the template is a decision, and cannot be added");
    assertThat(sql
        .object(add, task.uuid(),
            "[{\"name\": \"more\", \"step\": \"a\"}, {\"name\": \"most\", \"step\": \"x\"}]",
            "[{\"from\": \"more\", \"to\": \"route\"}, {\"from\": \"route\", \"to\": \"most\"}]")
        .getString("outcome")).isEqualTo("done");

    assertThat(states(task)).containsExactly("a enqueued 0/0", "route pending 2/2",
        "more enqueued 0/0", "most pending 1/1");
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().decided("x"));
    assertThat(sql
        .object(add, task.uuid(), "[{\"name\": \"again\", \"step\": \"y\"}]",
            "[{\"from\": \"again\", \"to\": \"end\"}]")
        .getString("outcome"))
        .isEqualTo("done");
    assertThatHistoryIsSound();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);
  }

  @Test
  void the_documents_of_a_task_show_what_was_chosen_and_what_was_not() {
    Dag.Task task = routed().started();
    String read = "select tasker.get_decision_documents(?)";
    JsonObject open = sql.array(read, task.uuid()).getJsonObject(0);
    assertThat(open.keySet()).containsExactlyInAnyOrder("step", "step_uuid", "state", "depth",
        "options", "chosen", "not_chosen", "reason",
        "decided_at", "created_steps");
    assertThat(open.getString("step") + " " + open.getString("state") + " " + open.get("options"))
        .isEqualTo("route pending [\"x\",\"y\"]");
    assertThat(List.of(open.get("chosen"), open.get("not_chosen"), open.get("depth"),
        open.get("decided_at"))).containsOnly(JsonValue.NULL);
    run(task, java.util.Map.of("route", new String[]{"y"}));

    JsonObject shown = sql.array(read, task.uuid()).getJsonObject(0);
    assertThat(shown.getJsonArray("chosen")).hasToString("[\"y\"]");
    assertThat(shown.getJsonArray("not_chosen")).hasToString("[\"x\"]");
    assertThat(shown.getInt("created_steps")).isEqualTo(2);
    assertThat(shown.get("decided_at")).isNotEqualTo(JsonValue.NULL);
    assertThat(sql.array("select tasker.get_task_documents(array[?]::uuid[])", task.uuid())
        .getJsonObject(0).getJsonArray("decisions"))
        .hasSize(1).first().isEqualTo(shown);
    assertThat(sql.array(read, UUID.randomUUID())).isEmpty();
  }

  @Test
  void steps_below_decisions_are_ranked_behind_their_parents() {
    assertThat(sql.text("""
        select tasker.rank_grown_steps('[{"name": "z", "dependencies": ["y", "a"]}, {"name": "y", "dependencies": ["d"]}, {"name": "a"},
          {"name": "d", "type": "decision", "dependencies": ["a"]}, {"name": "free", "dependencies": ["a"]}, {"name": "e", "type": "decision", "dependencies": ["z"]},
          {"name": "w", "dependencies": ["e", "free"]}]')""")).isEqualTo("{2,1,6,7}");
    assertThat(sql.text("select tasker.rank_grown_steps('[{\"name\": \"a\"}]')")).isEqualTo("{}");
  }

  @Test
  void a_cancel_that_waits_for_a_decision_cancels_what_it_created() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    Claim route = worker.claimOne();
    try (Sql deciding = Sql.session(); Sql cancelling = Sql.session()) {
      SqlWorker.in(deciding).complete(route.decided("x"));
      Sql.Later<JsonObject> cancel = cancelling
          .later(session -> session.object(
              "select tasker.request_cancel(?, 'ann', 'enough', 'allow_finish')", task.uuid()))
          .untilItWaits();
      deciding.commit();
      assertThat(cancel.get().getString("outcome")).isEqualTo("requested");
      cancelling.commit();
    }

    assertThat(states(task)).containsExactly("a complete 0/0", "route complete 0/1",
        "x cancelled 0/1", "end cancelled 1/1");
    assertThatTask(task).isIn("cancelled");
  }

  @Test
  void two_decisions_that_are_made_at_the_same_time_create_their_join_once() {
    Dag.Task task = Dag.of("a").step("d1").dependsOn("a").decision().step("d2").dependsOn("a")
        .decision()
        .step("x").dependsOn("d1").step("y").dependsOn("d2").step("end").dependsOn("x", "y")
        .convergence().started();
    worker.complete(worker.claimOne().success());
    List<Claim> claims = worker.claim(2);
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      SqlWorker.in(first).complete(
          claims.get(0).decided(claims.get(0).step().equals(task.step("d1")) ? "x" : "y"));
      Sql.Later<JsonObject> waiting = second
          .later(session -> SqlWorker.in(session).complete(
              claims.get(1).decided(claims.get(1).step().equals(task.step("d1")) ? "x" : "y")))
          .untilItWaits();
      first.commit();
      assertThat(waiting.get().getJsonArray("refused")).isEmpty();
      second.commit();
    }

    assertThat(edges(task, "end")).containsExactly("x", "y");
    assertThat(sql.number(
        "select sum(created_steps) from tasker.decision_outcomes where task_uuid = ?", task.uuid()))
        .isEqualTo(3);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_decision_that_is_rolled_back_leaves_neither_its_outcome_nor_its_steps() {
    Dag.Task task = routed().started();
    worker.complete(worker.claimOne().success());
    Claim route = worker.claimOne();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(route.decided("x", "y"));
      session.rollback();
    }
    assertThat(states(task)).containsExactly("a complete 0/0", "route in_progress 0/1");
    assertThat(sql.number("select count(*) from tasker.decision_outcomes where task_uuid = ?",
        task.uuid())).isZero();

    worker.complete(route.decided("y"));
    assertThat(states(task)).contains("y enqueued 0/1").hasSize(4);
  }

  /** The template came into the database before such expressions were refused. */
  @Test
  void a_rule_that_would_read_too_much_ends_its_step_and_no_other_task() {
    String list = java.util.stream.IntStream.range(0, 3000).mapToObj(String::valueOf)
        .collect(java.util.stream.Collectors.joining(",", "[", "]"));
    Dag.Task noisy = ruled(
        """
        {"rules": [{"when": "exists($.context.a[*] ? (@ == $.context.a[*] && @ < 0))", "then": ["x"]}], "otherwise": ["y"]}""")
        .context("{\"a\": " + list + "}").started();
    Dag.Task other = routed().started();

    worker.complete(0, worker.claim(2).stream().map(Claim::success).toList());

    assertThat(error(noisy, "route").getString("type")).isEqualTo("expression_error");
    assertThat(error(noisy, "route").getString("message"))
        .startsWith("rules[0].when would read more than 1000000 values");
    assertThatTask(noisy).isIn("blocked_by_failures");
    assertThatStep(other.step("a")).isIn("complete");
    assertThatHistoryIsSound();
  }
}
