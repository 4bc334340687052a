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
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"insert_steps", "check_additions", "get_step_documents"})
class AddStepsTest {
  private static final String W1 = "[{\"name\": \"w1\", \"step\": \"s1\"}]";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static JsonObject add(Sql session, Dag.Task task, String steps, String edges) {
    return session.object("select tasker.add_steps(?, ?, ?)", task.uuid(), steps, edges);
  }

  private JsonObject added(Dag.Task task, String steps, String edges) {
    JsonObject answer = add(sql, task, steps, edges);
    assertThat(answer.getString("outcome")).as(answer.toString()).isEqualTo("done");
    return answer;
  }

  /** {@code a>b} becomes an edge from a to b. */
  private static String edges(String... arrows) {
    JsonArrayBuilder edges = Json.createArrayBuilder();
    for (String arrow : arrows) {
      String[] ends = arrow.split(">");
      edges.add(Json.createObjectBuilder().add("from", ends[0]).add("to", ends[1]));
    }
    return edges.build().toString();
  }

  private static String steps(String template, String... names) {
    JsonArrayBuilder steps = Json.createArrayBuilder();
    for (String name : names) {
      steps.add(Json.createObjectBuilder().add("name", name).add("step", template));
    }
    return steps.build().toString();
  }

  private List<String> states(Dag.Task task) {
    return sql.texts(
        "select concat_ws(' ', coalesce(s.name, n.name), s.state, s.remaining_parents || '/' || s.total_parents) "
            + "from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? order by s.step_position",
        task.uuid());
  }

  @Test
  void a_line_becomes_a_fan_out_while_its_first_step_runs_and_its_last_one_joins_it() {
    Dag.Task task = Dag.linear(2).started();
    sql.text("select tasker.roll_up_analytics()");
    Claim first = worker.claimOne();
    JsonObject answer = added(task, steps("s1", "w1", "w2"),
        edges("s1>w1", "s1>w2", "w1>s2", "w2>s2"));
    assertThat(answer.getJsonArray("steps").getValuesAs(JsonObject.class))
        .extracting(s -> UUID.fromString(s.getString("step_uuid")))
        .containsExactly(task.step("w1"), task.step("w2"));
    assertThat(states(task)).containsExactly("s1 in_progress 0/0", "s2 pending 3/3",
        "w1 pending 1/1", "w2 pending 1/1");
    assertThatTask(task).isIn("steps_in_process").counts(4, 1, 0, 0);
    assertThat(sql.texts(
        "select step_name || ' ' || sentence from tasker.explain_waiting(?) where cause = 'parents'",
        task.uuid()))
        .containsExactly("s2 waits for s1 (in_progress), w1 (pending), w2 (pending)",
            "w1 waits for s1 (in_progress)",
            "w2 waits for s1 (in_progress)");
    assertThatHistoryIsSound();

    worker.complete(first.success("{\"n\": 1}"));
    List<Claim> fan = worker.claim(9);
    assertThat(fan).extracting(Claim::step).containsExactlyInAnyOrder(task.step("w1"),
        task.step("w2"));
    assertThat(fan).extracting(claim -> claim.claimedStep().getString("name"))
        .containsExactlyInAnyOrder("w1", "w2");
    assertThat(fan.get(0).claimedStep().getJsonObject("results").getJsonObject("s1").getInt("n"))
        .isEqualTo(1);
    fan.forEach(claim -> worker.complete(
        claim.success(claim.step().equals(task.step("w1")) ? "{\"n\": 2}" : "{\"n\": 3}")));
    Claim join = worker.claimOne();
    assertThat(join.step()).isEqualTo(task.step("s2"));
    assertThat(join.claimedStep().isNull("name")).as("the name is the template's").isTrue();
    assertThat(join.claimedStep().getJsonObject("results").toString().replace(" ", ""))
        .contains("\"s1\":{\"n\":1}", "\"w1\":{\"n\":2}", "\"w2\":{\"n\":3}");
    assertThat(sql.object("select tasker.get_ancestor_results(?)", join.step()).keySet())
        .containsExactlyInAnyOrder("s1", "w1", "w2");
    worker.complete(join.success());
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0);

    JsonArray documents = sql.array("select tasker.get_step_documents(?)", task.uuid());
    assertThat(documents.getValuesAs(JsonObject.class)).extracting(d -> d.getString("name"))
        .containsExactly("s1", "s2", "w1", "w2");
    assertThat(
        sql.texts(
            "select distinct e ->> 'step' from jsonb_array_elements(tasker.get_task_history(?)) e where e ->> 'kind' = 'result'",
            task.uuid()))
        .containsExactlyInAnyOrder("s1", "s2", "w1", "w2");
    assertThat(sql.texts(
        "select distinct e.value #>> '{data,step}' from json_array_elements(tasker.get_events(0, p_task_uuids => array[?::uuid]) -> 'events') e "
            + "where e.value ->> 'event' = 'step'",
        task.uuid())).containsExactlyInAnyOrder("s1", "s2", "w1", "w2");
    sql.text("select tasker.roll_up_analytics()");
    assertThat(sql.texts(
        "select concat_ws(' ', state, sum(steps)) from tasker.task_tallies where named_task_uuid = ? group by state order by state",
        task.template().uuid())).as("steps when it was created, and when it ended")
        .containsExactly("pending 2", "complete 4");
  }

  @Test
  void a_parent_that_is_done_counts_as_done_and_the_step_is_offered_when_the_call_returns() {
    Dag.Task task = Dag.linear(2).started();
    worker.complete(worker.claimOne().success("{\"n\": 1}"));
    JsonObject answer = added(task,
        "[{\"name\": \"w1\", \"step\": \"s1\", \"inputs\": {\"row\": 7}}]", edges("s1>w1"));
    assertThat(answer.getJsonArray("queued").toString()).isEqualTo("[\"orders\"]");
    assertThat(states(task)).containsExactly("s1 complete 0/0", "s2 enqueued 0/1",
        "w1 enqueued 0/1");
    Claim claim = worker.claim(9).stream().filter(c -> c.step().equals(task.step("w1"))).findFirst()
        .orElseThrow();
    assertThat(claim.claimedStep().getJsonObject("inputs").getInt("row")).isEqualTo(7);
    assertThat(claim.claimedStep().getJsonObject("results").getJsonObject("s1").getInt("n"))
        .isEqualTo(1);
  }

  @Test
  void steps_are_added_to_steps_that_were_added_and_to_a_task_that_has_not_begun() {
    Dag.Task task = Dag.linear(2).submitted();
    added(task, W1, "[]");
    added(task, steps("s2", "x"), edges("w1>x", "x>s2"));
    assertThat(states(task)).containsExactly("s1 pending 0/0", "s2 pending 2/2", "w1 pending 0/0",
        "x pending 1/1");
    assertThatTask(task).isIn("pending");
    worker.advance();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void what_cannot_be_added_is_refused_by_its_field_and_changes_nothing() {
    Dag.Task task = Dag.linear(3).started();
    worker.claimOne();
    String before = everything();
    refused(task, "{}", "[]", "invalid-request steps");
    refused(task, "[]", "[]", "invalid-request steps");
    refused(task, W1, "{}", "invalid-request edges");
    refused(task, W1, null, "invalid-request edges");
    refused(task, null, "[]", "invalid-request steps");
    refused(task, "[7]", "[]", "invalid-request steps[0]");
    refused(task, "[{\"name\": \"w1\"}]", "[]", "invalid-request steps[0]");
    refused(task, "[{\"name\": \"  \", \"step\": \"s1\"}]", "[]", "invalid-request steps[0]");
    refused(task, steps("s1", "w1", "n".repeat(129)), "[]", "invalid-request steps[1]");
    refused(task, "[{\"name\": \"w1\", \"step\": \"s1\", \"inputs\": 7}]", "[]",
        "invalid-request steps[0]");
    refused(task, "[{\"name\": \"w1\", \"step\": \"s1\", \"input\": {}}]", "[]",
        "invalid-request steps[0]");
    refused(task, W1, "[{\"from\": \"s1\"}]", "invalid-request edges[0]");
    refused(task, W1, "[{\"from\": \"s1\", \"to\": \"w1\", \"name\": \"x\"}]",
        "invalid-request edges[0]");
    refused(task, steps("s9", "w1"), "[]", "invalid-request steps[0].step");
    refused(task, steps("s1", "w1", "s2"), "[]", "step-name-taken steps[1].name");
    refused(task, steps("s1", "w1", "w1"), "[]", "step-name-taken steps[1].name");
    refused(task, W1, edges("s1>w1", "s9>w1"), "invalid-request edges[1].from");
    refused(task, W1, edges("w1>s9"), "invalid-request edges[0].to");
    refused(task, W1, edges("w1>w1"), "invalid-request edges[0]");
    refused(task, W1, edges("s1>w1", "s1>w1"), "invalid-request edges[1]");
    refused(task, W1, edges("s1>s3"), "invalid-request edges[0]");
    refused(task, W1, edges("w1>s1"), "step-not-movable edges[0].to");
    refused(task, W1, edges("s3>w1", "w1>s2"), "invalid-request edges");
    refused(task, steps("s1", "w1", "w2"), edges("w1>w2", "w2>w1"), "invalid-request edges");
    assertThat(everything()).isEqualTo(before);
    assertThat(
        add(sql, new Dag.Task(UUID.randomUUID(), task.template()), W1, "[]").getString("code"))
        .isEqualTo("task-not-found");

    sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more')", task.uuid());
    assertThat(add(sql, task, W1, "[]").getString("code")).isEqualTo("task-is-being-cancelled");
  }

  @Test
  void a_task_has_at_most_ten_thousand_steps() {
    Dag.Task task = Dag.of("s1").started();
    String many = sql.text(
        "select jsonb_agg(jsonb_build_object('name', 'w' || i, 'step', 's1')) from generate_series(1, 9999) i");
    assertThat(
        add(sql, task,
            "[" + many.substring(1, many.length() - 1) + ", {\"name\": \"x\", \"step\": \"s1\"}]",
            "[]").getString("message"))
        .isEqualTo("the task has 1 steps, and must not have more than 10000");
    assertThatTask(task).counts(1, 1, 0, 0);
  }

  private void refused(Dag.Task task, String steps, String edges, String codeAndField) {
    JsonObject answer = add(sql, task, steps, edges);
    assertThat(answer.getString("outcome") + " " + answer.getString("code", "-") + " "
        + answer.getString("field", "-"))
        .as(steps + " " + edges).isEqualTo("refused " + codeAndField);
    assertThat(answer.getString("message")).isNotBlank();
  }

  private String everything() {
    return sql.text(
        "select concat_ws(' ', (select json_agg(t) from tasker.tasks t), (select json_agg(s order by s.workflow_step_uuid) from tasker.workflow_steps s), "
            + "(select json_agg(e order by e.from_step_uuid) from tasker.workflow_step_edges e), (select json_agg(w) from tasker.task_wakeups w), "
            + "(select count(*) from tasker.workflow_step_transitions))");
  }

  @Test
  void a_parent_that_is_completed_first_lets_the_step_that_waited_for_the_lock_start() {
    Dag.Task task = Dag.linear(2).started();
    Claim first = worker.claimOne();
    try (Sql completing = Sql.session(); Sql adding = Sql.open()) {
      SqlWorker.in(completing).complete(first.success());
      Sql.Later<JsonObject> waiting = adding.later(s -> add(s, task, W1, edges("s1>w1")))
          .untilItWaits();
      completing.commit();
      assertThat(waiting.get().getString("outcome")).isEqualTo("done");
    }
    assertThat(states(task)).containsExactly("s1 complete 0/0", "s2 enqueued 0/1",
        "w1 enqueued 0/1");
  }

  @Test
  void a_parent_that_is_completed_afterwards_starts_what_was_added_below_it() {
    Dag.Task task = Dag.linear(2).started();
    Claim first = worker.claimOne();
    try (Sql adding = Sql.session(); Sql completing = Sql.open()) {
      add(adding, task, W1, edges("s1>w1", "w1>s2"));
      Sql.Later<JsonObject> waiting = completing
          .later(s -> SqlWorker.in(s).complete(first.success())).untilItWaits();
      adding.commit();
      assertThat(waiting.get().getJsonArray("refused")).isEmpty();
    }
    assertThat(states(task)).containsExactly("s1 complete 0/0", "s2 pending 1/2",
        "w1 enqueued 0/1");
  }

  @Test
  void a_task_whose_last_step_is_completed_first_has_ended_and_does_not_grow() {
    Dag.Task task = Dag.of("s1").started();
    Claim last = worker.claimOne();
    try (Sql completing = Sql.session(); Sql adding = Sql.open()) {
      SqlWorker.in(completing).complete(last.success());
      Sql.Later<JsonObject> waiting = adding.later(s -> add(s, task, W1, "[]")).untilItWaits();
      completing.commit();
      assertThat(waiting.get().getString("code")).isEqualTo("task-already-ended");
    }
    assertThat(states(task)).containsExactly("s1 complete 0/0");
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_task_that_grows_before_its_last_step_is_completed_does_not_end_with_it() {
    Dag.Task task = Dag.of("s1").started();
    Claim last = worker.claimOne();
    try (Sql adding = Sql.session(); Sql completing = Sql.open()) {
      add(adding, task, W1, edges("s1>w1"));
      Sql.Later<JsonObject> waiting = completing
          .later(s -> SqlWorker.in(s).complete(last.success())).untilItWaits();
      adding.commit();
      assertThat(waiting.get().getJsonArray("ended")).isEmpty();
    }
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0);
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void two_who_add_a_step_of_one_name_are_one_after_the_other() {
    Dag.Task task = Dag.of("s1").started();
    try (Sql first = Sql.session(); Sql second = Sql.open()) {
      add(first, task, W1, "[]");
      Sql.Later<JsonObject> waiting = second.later(s -> add(s, task, W1, "[]")).untilItWaits();
      first.commit();
      assertThat(waiting.get().getString("code")).isEqualTo("step-name-taken");
    }
    assertThat(states(task)).containsExactly("s1 enqueued 0/0", "w1 enqueued 0/0");
  }

  @Test
  void what_is_rolled_back_was_never_added() {
    Dag.Task task = Dag.linear(2).started();
    String before = everything();
    try (Sql adding = Sql.session()) {
      add(adding, task, W1, edges("s1>w1"));
      adding.rollback();
    }
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void what_is_added_to_a_blocked_task_waits_for_the_person_who_unblocks_it() {
    Dag.Task task = Dag.linear(2).started();
    worker.complete(worker.claimOne().permanentFailure());
    added(task, steps("s2", "w1", "w2"), edges("s1>w1"));
    assertThatTask(task).isIn("blocked_by_failures").counts(4, 0, 1, 0).hasNoWakeUp();
    assertThat(states(task)).containsExactly("s1 error 0/0", "s2 pending 1/1", "w1 pending 1/1",
        "w2 pending 0/0");
    assertThatHistoryIsSound();
    new Operator().step(task, "s1", "reset_for_retry");
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_task_that_goes_on_after_a_failure_hands_off_what_is_added_while_it_is_blocked() {
    Dag.Task task = Dag.linear(2).continueOnError().started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(added(task, W1, "[]").getString("task_state")).isEqualTo("steps_in_process");
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("blocked_by_failures").counts(2, 0, 1, 0);
  }

  @Test
  void an_operator_finds_and_retries_an_added_step_by_its_name() {
    Dag.Task task = Dag.of("s1").started();
    added(task, W1, edges("s1>w1"));
    worker.complete(worker.claimOne().success());
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(
        sql.text("select metadata ->> 'failed_steps' from tasker.tasks_dlq where task_uuid = ?",
            task.uuid()))
        .isEqualTo("[\"w1\"]");
    assertThat(sql.text(
        "select string_agg(s ->> 'name', ' ') from tasker.tasks_dlq d, jsonb_array_elements(d.task_snapshot -> 'steps') s where d.task_uuid = ?",
        task.uuid())).isEqualTo("s1 w1");
    JsonObject done = sql.object(
        "select tasker.act_on_task(?, 'retry_from_step', 'ann', 'it is mended', ?)", task.uuid(),
        "{\"step\": \"w1\"}");
    assertThat(done.getString("outcome")).as(done.toString()).isEqualTo("done");
    assertThatStep(task.step("w1")).isIn("enqueued");
  }

  @Test
  void an_added_step_is_under_the_policies_and_settings_of_its_step_in_the_template() {
    Dag.Task task = Dag.of("s1").step("s2").dependsOn("s1").stepPolicy("{\"limit\": 1}")
        .maxAttempts(7).started();
    worker.advance();
    worker.complete(worker.claimOne().success());
    added(task, steps("s2", "w1", "w2"), "[]");
    added(task, steps("s1", "free"), "[]");
    worker.advance();
    assertThat(
        sql.number("select count(*) from tasker.concurrency_slots where admitted_at is not null"))
        .isEqualTo(1L);
    assertThat(sql.number(
        "select count(*) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) "
            + "where n.name = 's2' and s.state = 'enqueued'"))
        .isEqualTo(1L);
    assertThatStep(task.step("free")).isIn("enqueued");
    assertThat(sql.number(
        "select min(max_attempts) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where n.name = 's2'"))
        .isEqualTo(7L);
    assertThatHistoryIsSound();
    for (int round = 0; round < 4; round++) {
      worker.claim(9).forEach(claim -> worker.complete(claim.success()));
      worker.advance();
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_cancel_request_takes_the_added_steps_with_it() {
    Dag.Task task = Dag.of("s1").started();
    added(task, steps("s1", "w1", "w2"), edges("w1>w2"));
    sql.text("select tasker.request_cancel(?, 'ann', 'not wanted any more')", task.uuid());
    assertThatTask(task).isIn("cancelled");
    assertThat(states(task)).allMatch(state -> state.contains(" cancelled "));
  }
}
