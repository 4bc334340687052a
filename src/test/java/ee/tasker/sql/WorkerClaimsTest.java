package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Workers that claim over the REST interface: whatever they say, the database counts what they
 * hold.
 */
@DatabaseTest
@DatabaseTest.Covers({"claim_steps_for_workers", "claim_for_worker", "record_worker_claims",
  "clean_worker_claims", "get_worker_claims",
  "submit_worker_results", "submit_results_of_workers", "end_worker_claims", "drain_worker",
  "get_worker_documents",
  "save_worker_checkpoints",
  "find_claimed_step", "get_worker_step_results", "get_worker_batch_results"})
class WorkerClaimsTest {
  private static final String ANN = "user:ann";
  private static final String BOB = "user:bob";

  private final Sql sql = Sql.open();
  private final Instant start = Instant.now();
  private final UUID anns = UUID.randomUUID();
  private final UUID bobs = UUID.randomUUID();

  // ---- the calls

  private JsonObject register(UUID worker, String owner, int capacity, String... handlers) {
    return sql.object("select tasker.register_worker(?::jsonb, ?, ?, ?)",
        Json.createObjectBuilder().add("worker_uuid", worker.toString()).add("name", "w")
            .add("capacity", capacity)
            .add("handlers", Json.createArrayBuilder(List.of(handlers))).build(),
        start, owner, "the name of " + owner);
  }

  private static JsonObject poll(UUID worker, String owner, int max, String requestId,
      String... namespaces) {
    var poll = Json.createObjectBuilder().add("worker_uuid", worker.toString()).add("owner", owner)
        .add("max", max);
    if (requestId != null) {
      poll.add("request_id", requestId);
    }
    return poll.add("namespaces", namespaces.length == 0 ? JsonValue.NULL
        : Json.createArrayBuilder(List.of(namespaces)).build()).build();
  }

  private List<JsonObject> polls(int seconds, JsonObject... polls) {
    return sql
        .array("select tasker.claim_steps_for_workers(?::jsonb, 60, ?)",
            Json.createArrayBuilder(List.of(polls)).build(), start.plusSeconds(seconds))
        .getValuesAs(JsonObject.class);
  }

  private JsonObject answer(int seconds, JsonObject poll) {
    return polls(seconds, poll).get(0);
  }

  private static List<Claim> claims(JsonObject answer) {
    return SqlWorker.claims(answer.getJsonArray("claimed_steps"));
  }

  private List<Claim> claim(int max) {
    return claims(answer(0, poll(anns, ANN, max, null)));
  }

  private static JsonObject result(Claim claim, String outcome) {
    return Json.createObjectBuilder().add("step_uuid", claim.step().toString())
        .add("handoff", claim.handoff()).add("outcome", outcome)
        .add("execution_time_ms", 1).build();
  }

  private JsonObject submit(UUID worker, String owner, String claims, JsonObject... results) {
    return sql.object("select tasker.submit_worker_results(?, ?, ?::jsonb, ?::jsonb, 60, true, ?)",
        worker, owner, Json.createArrayBuilder(List.of(results)).build(), claims,
        start.plusSeconds(1));
  }

  private static List<String> verdicts(JsonObject reply) {
    return reply.getJsonArray("verdicts").getValuesAs(JsonObject.class).stream()
        .map(verdict -> verdict.getString("verdict")).toList();
  }

  private JsonObject beat(int seconds, Claim... claims) {
    JsonArrayBuilder steps = Json.createArrayBuilder();
    Arrays.asList(claims)
        .forEach(claim -> steps.add(Json.createObjectBuilder()
            .add("step_uuid", claim.step().toString()).add("handoff", claim.handoff())));
    return sql.object("select tasker.heartbeat_worker(?, ?, ?, 'healthy', 60, ?, ?)", anns,
        claims.length, steps.build(), start.plusSeconds(seconds), ANN);
  }

  private String document() {
    return sql.text(
        "select d ->> 'health' || ' ' || (d ->> 'claimed') || ' ' || jsonb_array_length(d -> 'claims') "
            + "from tasker.get_worker_documents(?, ?) d",
        anns, start);
  }

  // ---- claims

  @Test
  void a_worker_gets_the_steps_of_its_handlers_with_their_documents_and_they_are_its_own() {
    Dag.of("other").handler("java.other").started();
    Dag.Task task = Dag.of("a").version("2").handler("python.a").context("{\"who\": \"ann\"}")
        .started();
    register(anns, ANN, 4, "python.a");

    JsonObject answer = answer(0, poll(anns, ANN, 10, "r1"));

    assertThat(answer.getString("outcome") + " " + answer.getString("state"))
        .isEqualTo("claimed healthy");
    assertThat(claims(answer)).extracting(Claim::step).containsExactly(task.step("a"));
    assertThat(claims(answer).get(0).claimedStep().getJsonObject("context").getString("who"))
        .isEqualTo("ann");
    assertThat(document()).isEqualTo("healthy 1 1");
    assertThat(sql.text("select registered_by from tasker.get_workers()"))
        .isEqualTo("the name of " + ANN);
    assertThat(answer(1, poll(anns, ANN, 10, null)).getString("outcome")).isEqualTo("empty");
  }

  @Test
  void a_late_success_of_a_worker_that_counts_as_lost_is_stale_because_nothing_of_it_is_recorded() {
    Dag.Task task = Dag.of("a").handler("python.a").maxAttempts(1).started();
    register(anns, ANN, 4, "python.a");
    Claim claim = claim(1).get(0);
    sql.run(
        "update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '1 s'");
    sql.run("update tasker.task_wakeups set wake_at = clock_timestamp()");
    sql.text("select tasker.advance_due_tasks(?, 10)", UUID.randomUUID());
    assertThatStep(task.step("a")).isIn("error");
    assertThat(sql.uuid("select worker_uuid from tasker.workflow_step_result_audit"))
        .as("it names whom recovery gave up").isEqualTo(anns);

    assertThat(verdicts(submit(anns, ANN, null, result(claim, "success"))))
        .containsExactly("stale");
    assertThatStep(task.step("a")).isIn("error");
  }

  @Test
  void a_step_that_yields_is_no_longer_the_workers_and_is_claimed_again_with_its_checkpoint() {
    Dag.Task task = Dag.of("a").handler("python.a").maxAttempts(1).started();
    register(anns, ANN, 4, "python.a");
    Claim claim = claim(1).get(0);
    JsonObject yielded = Json.createObjectBuilder(result(claim, "yielded"))
        .add("checkpoint", Json.createObjectBuilder().add("row", 7))
        .add("after_ms", 5_000).build();
    assertThat(verdicts(submit(anns, ANN, null, yielded))).containsExactly("accepted");
    assertThat(verdicts(submit(anns, ANN, null, yielded))).containsExactly("already");
    assertThat(document()).startsWith("healthy 0 0");
    assertThatStep(task.step("a")).isIn("waiting_for_retry").hasHandoffs(1).hasAttempts(0);

    sql.text("select tasker.advance_due_tasks(?, 10, p_now => ?)", UUID.randomUUID(),
        start.plusSeconds(6));
    Claim next = claims(answer(6, poll(anns, ANN, 1, null))).get(0);
    assertThat(next.handoff() + " " + next.attempt()).isEqualTo("2 1");
    assertThat(next.claimedStep().getJsonObject("checkpoint").getInt("row")).isEqualTo(7);
  }

  @Test
  void a_worker_never_holds_more_than_its_capacity_whatever_it_asks_for() {
    Dag.of("a").started(7);
    register(anns, ANN, 3, "test.handler");

    assertThat(claim(2)).hasSize(2);
    List<Claim> third = claim(100);
    assertThat(third).hasSize(1);
    assertThat(answer(0, poll(anns, ANN, 1, null)).getString("outcome")).isEqualTo("full");
    JsonObject reply = submit(anns, ANN, "{\"max\": 100}", result(third.get(0), "success"));

    assertThat(claims(reply)).as("one ended").hasSize(1);
    assertThat(document()).isEqualTo("healthy 3 3");
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'in_progress'"))
        .isEqualTo(3);
  }

  @Test
  void a_repeated_request_gets_what_it_got_before_and_nothing_else() {
    Dag.of("a").started(5);
    register(anns, ANN, 4, "test.handler");
    List<Claim> first = claims(answer(0, poll(anns, ANN, 2, "lost")));

    JsonObject again = answer(20, poll(anns, ANN, 2, "lost"));

    assertThat(claims(again)).extracting(Claim::step)
        .containsExactlyInAnyOrderElementsOf(first.stream().map(Claim::step).toList());
    assertThat(claims(again)).extracting(Claim::handoff).containsOnly(1);
    assertThatStep(first.get(0).step()).untilAbout(start.plusSeconds(80));
    assertThat(claims(answer(20, poll(anns, ANN, 2, "next")))).hasSize(2).extracting(Claim::step)
        .doesNotContainAnyElementsOf(first.stream().map(Claim::step).toList());
    submit(anns, ANN, null,
        first.stream().map(claim -> result(claim, "success")).toArray(JsonObject[]::new));
    assertThat(claims(answer(21, poll(anns, ANN, 2, "lost"))))
        .as("those have ended: a request as any").hasSize(1);
  }

  @Test
  void waiting_requests_are_served_first_come_first_served_and_each_gets_its_own() {
    register(anns, ANN, 4, "test.handler");
    register(bobs, BOB, 4, "test.handler");
    assertThat(polls(0, poll(anns, ANN, 2, null), poll(bobs, BOB, 2, null)))
        .extracting(each -> each.getString("outcome"))
        .containsExactly("empty", "empty");
    Dag.of("a").started(3);

    List<JsonObject> answers = polls(1, poll(anns, ANN, 2, null), poll(bobs, BOB, 2, null),
        poll(UUID.randomUUID(), ANN, 1, null));

    assertThat(answers.stream().map(each -> each.getString("outcome") + " " + claims(each).size()))
        .containsExactly("claimed 2", "claimed 1", "unknown_worker 0");
  }

  @Test
  void a_kind_of_workers_for_which_the_queues_have_nothing_is_asked_for_once_in_a_call() {
    register(anns, ANN, 4, "test.handler");
    register(bobs, BOB, 4, "test.handler");
    String kind = answer(0, poll(anns, ANN, 2, null)).getString("kind");
    Dag.of("a").started();
    JsonObject waiting = Json.createObjectBuilder(poll(bobs, BOB, 2, null)).add("kind", kind)
        .build();
    try (Sql other = Sql.session()) {
      other.run("select from tasker.workers where worker_uuid = ? for no key update", bobs);
      assertThat(polls(1, poll(anns, ANN, 2, null), waiting))
          .as("the row of the second is not even tried")
          .extracting(each -> each.getString("outcome")).containsExactly("claimed", "empty");
      other.rollback();
    }
  }

  @Test
  void workers_of_other_callers_of_servers_and_of_none_are_unknown() {
    Dag.Task task = Dag.of("a").started();
    register(anns, ANN, 4, "test.handler");
    UUID server = UUID.randomUUID();
    sql.text("select tasker.heartbeat(?, 's', 'worker', 10, 0)", server);
    Claim claim = claim(1).get(0);

    for (UUID worker : List.of(anns, server, UUID.randomUUID())) {
      assertThat(answer(0, poll(worker, BOB, 1, null)).getString("outcome"))
          .isEqualTo("unknown_worker");
      assertThat(submit(worker, BOB, null, result(claim, "success")).getString("outcome"))
          .isEqualTo("unknown_worker");
      assertThat(sql.text("select tasker.get_worker_claims(?, ?, '[]')", worker, BOB)).isNull();
      assertThat(sql.object("select tasker.drain_worker(?, ?)", worker, BOB).getString("outcome"))
          .isEqualTo("unknown_worker");
      assertThat(sql.object("select tasker.heartbeat_worker(?, 0, p_owner => ?)", worker, BOB)
          .getString("outcome"))
          .isEqualTo("unknown_worker");
    }
    assertThat(register(anns, BOB, 4, "test.handler").getString("outcome")).isEqualTo("foreign");
    assertThat(sql.text("select owner from tasker.workers where worker_uuid = ?", anns))
        .isEqualTo(ANN);
    assertThatStep(task.step("a")).isIn("in_progress");
  }

  @Test
  void of_two_callers_that_register_one_key_at_a_time_the_first_has_it() {
    String worker = Json.createObjectBuilder().add("worker_uuid", anns.toString()).add("name", "w")
        .add("capacity", 1)
        .add("handlers", Json.createArrayBuilder().add("a")).build().toString();
    String call = "select tasker.register_worker(?::jsonb, null, ?, ?)";
    try (Sql first = Sql.session()) {
      assertThat(first.object(call, worker, ANN, ANN).getString("outcome")).isEqualTo("registered");
      Sql.Later<JsonObject> second = sql.later(session -> session.object(call, worker, BOB, BOB))
          .untilItWaits();
      first.commit();
      assertThat(second.get().getString("outcome")).isEqualTo("foreign");
    }
    assertThat(sql.text("select owner from tasker.workers")).isEqualTo(ANN);
  }

  @Test
  void a_caller_whose_permission_was_narrowed_gets_steps_of_the_namespaces_that_are_left() {
    Dag.Task here = Dag.of("a").inNamespace("here").step("b").dependsOn("a").started();
    Dag.of("a").inNamespace("there").started();
    register(anns, ANN, 4, "test.handler");

    List<Claim> claimed = claims(answer(0, poll(anns, ANN, 4, null, "here")));
    assertThat(claimed).extracting(Claim::step).containsExactly(here.step("a"));
    assertThat(answer(0, poll(anns, ANN, 4, null, "nowhere")).getString("outcome"))
        .isEqualTo("empty");
    JsonObject reply = submit(anns, ANN, "{\"max\": 4, \"namespaces\": [\"nowhere\"]}",
        result(claimed.get(0), "success"));

    assertThat(verdicts(reply)).containsExactly("accepted");
    assertThat(claims(reply)).as("not even the successor").isEmpty();
    assertThatStep(here.step("b")).isIn("enqueued");
  }

  @Test
  void a_worker_that_is_paused_drains_or_is_considered_lost_gets_nothing() {
    Dag.of("a").started();
    register(anns, ANN, 4, "test.handler");
    sql.object("select tasker.heartbeat_worker(?, 0, '[]', 'paused', 60, ?, ?)", anns, start, ANN);
    assertThat(answer(0, poll(anns, ANN, 1, null)).toString()).contains("\"not_claiming\"",
        "\"paused\"");
    beat(1);
    assertThat(answer(60, poll(anns, ANN, 1, null)).toString()).contains("\"not_claiming\"",
        "\"lost\"");
    beat(61);
    assertThat(answer(62, poll(anns, ANN, 1, null)).getString("outcome")).isEqualTo("claimed");
  }

  @Test
  void a_second_request_of_a_worker_does_not_wait_for_the_first() {
    Dag.of("a").started(2);
    register(anns, ANN, 4, "test.handler");
    try (Sql other = Sql.session()) {
      other.run("select from tasker.workers where worker_uuid = ? for no key update", anns);
      assertThat(answer(0, poll(anns, ANN, 1, null)).getString("outcome")).isEqualTo("busy");
      other.rollback();
    }
    assertThat(claim(1)).hasSize(1);
  }

  // ---- results

  @Test
  void a_workflow_is_worked_to_its_end_with_the_next_step_in_each_answer() {
    Dag.Task task = Dag.linear(3).started();
    register(anns, ANN, 4, "test.handler");
    List<Claim> next = claim(1);
    for (int i = 0; i < 2; i++) {
      JsonObject reply = submit(anns, ANN, "{\"max\": 1, \"request_id\": \"r" + i + "\"}",
          result(next.get(0), "success"));
      assertThat(verdicts(reply)).containsExactly("accepted");
      next = claims(reply);
      assertThat(next).hasSize(1);
    }
    JsonObject reply = submit(anns, ANN, null, result(next.get(0), "success"));

    assertThat(reply.getJsonArray("ended")).hasSize(1);
    assertThatTask(task).isIn("complete");
    assertThat(sql.texts("select distinct worker_uuid from tasker.workflow_step_result_audit"))
        .containsExactly(anns.toString());
    assertThat(sql.number("select count(*) from tasker.worker_claims")).isZero();
  }

  /**
   * A task whose second step is a child task in the namespace, whose only step has the handler.
   * @return the answer to the result of its first step
   */
  private JsonObject submitTheParentOfAChild(String namespace, String handler, JsonArray onlyIn) {
    Dag.Template child = Dag.of("x").handler(handler).inNamespace(namespace).registered();
    Dag.of("a").step("sub").dependsOn("a")
        .waitingOnly("{\"task\": {\"namespace\": \"" + child.namespace() + "\", \"name\": \""
            + child.name() + "\"}}")
        .started();
    var worker = Json.createObjectBuilder().add("worker_uuid", anns.toString()).add("name", "w")
        .add("capacity", 4)
        .add("handlers", Json.createArrayBuilder().add("test.handler"));
    sql.object("select tasker.register_worker(?::jsonb, ?, ?, ?)",
        (onlyIn == null ? worker : worker.add("namespaces", onlyIn)).build(), start, ANN,
        "the name of " + ANN);
    return submit(anns, ANN, "{\"max\": 4}", result(claim(1).get(0), "success"));
  }

  @Test
  void the_first_step_of_a_child_comes_with_the_answer_to_the_result_before_it() {
    List<Claim> next = claims(submitTheParentOfAChild("payments", "test.handler", null));
    assertThat(next).hasSize(1);
    assertThat(sql.texts("select workflow_step_uuid from tasker.worker_claims"))
        .containsExactly(next.get(0).step().toString());
  }

  @Test
  void a_child_in_a_namespace_that_the_worker_does_not_serve_is_offered_to_others() {
    JsonArray orders = Json.createArrayBuilder().add("orders").build();
    assertThat(claims(submitTheParentOfAChild("payments", "test.handler", orders))).isEmpty();
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'enqueued'"))
        .isEqualTo(1);
  }

  @Test
  void a_child_whose_handler_the_worker_does_not_have_is_offered_to_others() {
    assertThat(claims(submitTheParentOfAChild("payments", "another.handler", null))).isEmpty();
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'enqueued'"))
        .isEqualTo(1);
  }

  @Test
  void a_child_where_the_caller_may_no_longer_work_is_offered_to_others() {
    Dag.Template child = Dag.of("x").inNamespace("payments").registered();
    Dag.of("a").step("sub").dependsOn("a")
        .waitingOnly(
            "{\"task\": {\"namespace\": \"payments\", \"name\": \"" + child.name() + "\"}}")
        .started();
    register(anns, ANN, 4, "test.handler");
    JsonObject reply = submit(anns, ANN, "{\"max\": 4, \"namespaces\": [\"orders\"]}",
        result(claim(1).get(0), "success"));
    assertThat(claims(reply)).isEmpty();
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'enqueued'"))
        .isEqualTo(1);
  }

  @Test
  void a_worker_that_asks_for_no_steps_gets_none() {
    Dag.of("a").started(3);
    register(anns, ANN, 3, "test.handler");
    List<Claim> claimed = claim(2);
    assertThat(claims(submit(anns, ANN, null, result(claimed.get(0), "success")))).isEmpty();
    assertThat(claims(submit(anns, ANN, "null", result(claimed.get(1), "success")))).isEmpty();
    assertThat(document()).isEqualTo("healthy 0 0");
  }

  @Test
  void a_time_that_a_worker_does_not_name_is_measured_from_the_claim_to_the_result() {
    Dag.Task task = Dag.of("a").step("b").started();
    register(anns, ANN, 3, "test.handler");
    for (Claim claim : claim(2)) {
      submit(anns, ANN, null, claim.step().equals(task.step("a")) ? result(claim, "success")
          : Json.createObjectBuilder(result(claim, "success")).remove("execution_time_ms").build());
    }

    String times = "select document ->> 'execution_time_ms' || ' ' || (document ->> 'is_time_measured') "
        + "from jsonb_array_elements(%s) with ordinality as d(document, n) order by n";
    assertThat(sql.texts(times.formatted("tasker.get_step_documents(?)"), task.uuid()))
        .containsExactly("1 false", "1000 true");
    assertThat(sql.texts(times.formatted("tasker.get_step_audit(?, ?)"), task.uuid(),
        task.step("b"))).containsExactly("1000 true");
  }

  @Test
  void results_of_steps_that_the_worker_does_not_hold_change_nothing() {
    Dag.of("a").started(2);
    register(anns, ANN, 1, "test.handler");
    register(bobs, BOB, 1, "test.handler");
    Claim mine = claim(1).get(0);
    Claim his = claims(answer(0, poll(bobs, BOB, 1, null))).get(0);

    JsonObject reply = submit(anns, ANN, null, result(his, "success"),
        result(mine.asHandoff(2), "success"),
        result(new Claim(UUID.randomUUID(), his.task(), 1, null), "permanent_failure"));

    assertThat(verdicts(reply)).containsExactly("stale", "stale", "stale");
    assertThatStep(his.step()).isIn("in_progress");
    assertThatStep(mine.step()).isIn("in_progress");
    assertThat(verdicts(submit(bobs, BOB, null, result(his, "success"))))
        .containsExactly("accepted");
  }

  @Test
  void the_same_result_again_has_already_been_accepted_and_its_request_gets_the_same_claims() {
    Dag.of("a").started(4);
    register(anns, ANN, 1, "test.handler");
    Claim first = claim(1).get(0);
    String claims = "{\"max\": 1, \"request_id\": \"r\"}";
    JsonObject before = submit(anns, ANN, claims, result(first, "success"));

    JsonObject again = submit(anns, ANN, claims, result(first, "success"),
        result(first, "success"));

    assertThat(verdicts(again)).containsExactly("already", "already");
    assertThat(claims(again)).extracting(Claim::step).containsExactly(claims(before).get(0).step());
    assertThat(
        verdicts(submit(anns, ANN, null, result(claims(again).get(0), "success"),
            result(claims(again).get(0), "permanent_failure"))))
        .as("a step that is named twice counts once").containsExactly("accepted", "already");
  }

  @Test
  void failures_are_retried_or_not_as_those_of_a_server_and_a_cancel_that_was_not_requested_is_one() {
    Dag.Task task = Dag.parallel(3).started();
    register(anns, ANN, 3, "test.handler");
    List<Claim> claimed = claim(3);
    JsonObject later = Json.createObjectBuilder(result(claimed.get(0), "retryable_failure"))
        .add("error", Json.createObjectBuilder().add("type", "Busy").add("message", "later")
            .add("delay_ms", 90_000))
        .build();

    JsonObject reply = submit(anns, ANN, null, later, result(claimed.get(1), "permanent_failure"),
        result(claimed.get(2), "cancelled"));

    assertThat(verdicts(reply)).containsExactly("accepted", "accepted", "accepted");
    assertThatStep(claimed.get(0).step()).isIn("waiting_for_retry")
        .isDueAbout(start.plusSeconds(91));
    assertThatStep(claimed.get(1).step()).isIn("error");
    assertThatStep(claimed.get(2).step()).isIn("error");
    assertThatTask(task).isIn("blocked_by_failures");
  }

  @Test
  void what_has_not_started_is_given_back_without_using_an_attempt() {
    Dag.of("a").started(2);
    register(anns, ANN, 2, "test.handler");
    List<Claim> claimed = claim(2);

    JsonObject reply = submit(anns, ANN, "{\"max\": 2}", result(claimed.get(0), "released"),
        result(claimed.get(1), "declined"));

    assertThat(verdicts(reply)).containsExactly("accepted", "accepted");
    assertThat(reply.getJsonArray("queued")).isNotEmpty();
    assertThat(claims(reply)).as("it does not get back in the same call what it gives back")
        .isEmpty();
    for (Claim claim : claimed) {
      assertThatStep(claim.step()).isIn("enqueued").hasAttempts(1).hasHandoffs(2);
    }
    assertThat(claim(2)).as("it declined the handler").isEmpty();
    register(bobs, BOB, 2, "test.handler");
    assertThat(claims(answer(1, poll(bobs, BOB, 2, null)))).hasSize(2);
  }

  @Test
  void two_submissions_of_the_same_result_at_a_time_are_accepted_once() {
    Dag.of("a").started();
    register(anns, ANN, 2, "test.handler");
    Claim claim = claim(1).get(0);
    try (Sql first = Sql.session()) {
      String call = "select tasker.submit_worker_results(?, ?, ?::jsonb)";
      JsonArray results = Json.createArrayBuilder().add(result(claim, "success")).build();
      assertThat(verdicts(first.object(call, anns, ANN, results))).containsExactly("accepted");
      Sql.Later<JsonObject> second = sql.later(session -> session.object(call, anns, ANN, results))
          .untilItWaits();
      first.commit();
      assertThat(verdicts(second.get())).containsExactly("already");
    }
  }

  // ---- results of several workers in one call

  private static JsonObject request(UUID worker, String owner, JsonValue claims,
      JsonObject... results) {
    return Json.createObjectBuilder().add("worker_uuid", worker.toString()).add("owner", owner)
        .add("claims", claims)
        .add("results", Json.createArrayBuilder(List.of(results))).build();
  }

  private List<JsonObject> submitTogether(Sql by, JsonObject... requests) {
    return by
        .array("select tasker.submit_results_of_workers(?::jsonb, 60, true, ?)",
            Json.createArrayBuilder(List.of(requests)).build(), start.plusSeconds(1))
        .getValuesAs(JsonObject.class);
  }

  private Claim claimOfBob() {
    return claims(answer(0, poll(bobs, BOB, 1, null))).get(0);
  }

  private String workerOf(UUID step) {
    return sql.text("select leased_by from tasker.workflow_steps where workflow_step_uuid = ?",
        step);
  }

  @Test
  void results_of_several_workers_share_a_call_and_each_gets_its_own_verdicts_and_next_steps() {
    Dag.linear(2).started(2);
    register(anns, ANN, 1, "test.handler");
    register(bobs, BOB, 1, "test.handler");
    Claim mine = claim(1).get(0);
    Claim his = claimOfBob();
    JsonObject one = Json.createObjectBuilder().add("max", 1).add("request_id", "r").build();

    List<JsonObject> replies = submitTogether(sql, request(anns, ANN, one, result(mine, "success")),
        request(bobs, BOB, one, result(his, "success")));

    assertThat(replies)
        .allSatisfy(reply -> assertThat(verdicts(reply)).containsExactly("accepted"));
    assertThat(claims(replies.get(0))).extracting(Claim::task).containsExactly(mine.task());
    assertThat(claims(replies.get(1))).extracting(Claim::task).containsExactly(his.task());
    assertThat(workerOf(claims(replies.get(0)).get(0).step())).isEqualTo(anns.toString());
    assertThat(workerOf(claims(replies.get(1)).get(0).step())).isEqualTo(bobs.toString());
    String recorded = "select worker_uuid from tasker.workflow_step_result_audit where workflow_step_uuid = ?";
    assertThat(sql.text(recorded, mine.step())).isEqualTo(anns.toString());
    assertThat(sql.text(recorded, his.step())).isEqualTo(bobs.toString());
    List<JsonObject> again = submitTogether(sql, request(bobs, BOB, one, result(his, "success")),
        request(anns, ANN, one, result(mine, "success")));
    assertThat(again).as("the answers were lost")
        .allSatisfy(reply -> assertThat(verdicts(reply)).containsExactly("already"));
    assertThat(claims(again.get(1))).extracting(Claim::step)
        .containsExactly(claims(replies.get(0)).get(0).step());
  }

  @Test
  void what_is_stale_forbidden_or_invalid_of_one_worker_does_not_hurt_the_results_of_another() {
    Dag.of("a").started(4);
    register(anns, ANN, 2, "test.handler");
    register(bobs, BOB, 1, "test.handler");
    List<Claim> mine = claim(2);
    Claim his = claimOfBob();
    JsonObject invalid = Json.createObjectBuilder(result(mine.get(1), "success"))
        .add("execution_time_ms", 1e30).build();
    JsonObject one = Json.createObjectBuilder().add("max", 1).build();

    List<JsonObject> replies = submitTogether(sql,
        request(anns, ANN, JsonValue.NULL, result(his, "success")),
        request(bobs, ANN, JsonValue.NULL, result(his, "success")),
        request(anns, ANN, one, result(mine.get(0), "success"), invalid),
        request(anns, ANN, JsonValue.NULL, result(mine.get(1), "perhaps")),
        request(bobs, BOB, one, result(his, "success")));

    assertThat(replies).extracting(reply -> reply.getString("outcome")).containsExactly("submitted",
        "unknown_worker", "refused", "refused",
        "submitted");
    assertThat(verdicts(replies.get(0))).containsExactly("stale");
    assertThat(verdicts(replies.get(4))).containsExactly("accepted");
    assertThat(claims(replies.get(4))).hasSize(1);
    assertThatStep(his.step()).isIn("complete");
    assertThatStep(mine.get(0).step()).isIn("in_progress");
    assertThat(document()).as("nothing of a refused request has changed").isEqualTo("healthy 2 2");
    assertThat(verdicts(
        submit(anns, ANN, null, result(mine.get(0), "success"), result(mine.get(1), "success"))))
        .containsExactly("accepted", "accepted");
  }

  @Test
  void two_calls_with_the_same_workers_in_another_order_accept_each_result_once() {
    Dag.of("a").started(2);
    register(anns, ANN, 1, "test.handler");
    register(bobs, BOB, 1, "test.handler");
    JsonObject mine = request(anns, ANN, JsonValue.NULL, result(claim(1).get(0), "success"));
    JsonObject his = request(bobs, BOB, JsonValue.NULL, result(claimOfBob(), "success"));
    try (Sql first = Sql.session()) {
      assertThat(submitTogether(first, mine, his))
          .allSatisfy(reply -> assertThat(verdicts(reply)).containsExactly("accepted"));
      Sql.Later<List<JsonObject>> second = sql.later(session -> submitTogether(session, his, mine))
          .untilItWaits();
      first.commit();
      assertThat(second.get())
          .allSatisfy(reply -> assertThat(verdicts(reply)).containsExactly("already"));
    }
  }

  // ---- heartbeats and the end

  @Test
  void a_heartbeat_renews_what_the_worker_holds_and_no_lease_of_another() {
    Dag.of("a").started(2);
    register(anns, ANN, 1, "test.handler");
    register(bobs, BOB, 1, "test.handler");
    Claim mine = claim(1).get(0);
    Claim his = claims(answer(0, poll(bobs, BOB, 1, null))).get(0);
    Instant his60 = sql.instant(
        "select lease_expires_at from tasker.workflow_steps where workflow_step_uuid = ?",
        his.step());

    JsonObject answer = beat(30, mine, his);

    assertThat(answer.getJsonArray("lost").getValuesAs(JsonString::getString))
        .containsExactly(his.step().toString());
    assertThatStep(mine.step()).untilAbout(start.plusSeconds(90));
    assertThat(sql.instant(
        "select lease_expires_at from tasker.workflow_steps where workflow_step_uuid = ?",
        his.step())).isEqualTo(his60);
    assertThat(answer.getJsonArray("unreported")).isEmpty();
  }

  @Test
  void a_heartbeat_tells_of_cancel_requests_with_the_time_that_is_left() {
    Dag.Task task = Dag.of("a").cancelGraceSeconds(20).started();
    register(anns, ANN, 1, "test.handler");
    Claim claim = claim(1).get(0);
    sql.text(
        "select tasker.request_cancel(?, 'bob', 'why', p_policy => 'cancel_running', p_now => ?)",
        task.uuid(), start.plusSeconds(10));

    JsonObject cancel = beat(15, claim).getJsonArray("cancels").getJsonObject(0);

    assertThat(cancel.getString("step_uuid") + " " + cancel.getInt("handoff"))
        .isEqualTo(claim.step() + " 1");
    assertThat(cancel.getInt("force_in_ms")).isEqualTo(15_000);
    assertThat(verdicts(submit(anns, ANN, null, result(claim, "cancelled"))))
        .containsExactly("accepted");
    assertThatTask(task).isIn("cancelled");
  }

  @Test
  void a_claim_whose_answer_was_lost_is_listed_and_then_released_without_using_an_attempt() {
    Dag.of("a").started(2);
    register(anns, ANN, 2, "test.handler");
    List<Claim> claimed = claim(2);
    beat(5, claimed.get(0));

    JsonObject listed = beat(25, claimed.get(0)).getJsonArray("unreported").getJsonObject(0);
    assertThat(listed.getString("step_uuid") + " " + listed.getInt("handoff") + " "
        + listed.getInt("claimed_ms_ago"))
        .isEqualTo(claimed.get(1).step() + " 1 25000");
    assertThatStep(claimed.get(1).step()).isIn("in_progress");

    JsonObject answer = beat(31, claimed.get(0));

    assertThat(answer.getJsonArray("unreported")).isEmpty();
    assertThat(answer.getJsonArray("queued")).isNotEmpty();
    assertThatStep(claimed.get(1).step()).isIn("enqueued").hasAttempts(1).hasHandoffs(2);
    assertThat(sql.text(
        "select metadata ->> 'reason' from tasker.workflow_step_transitions where metadata is not null"))
        .isEqualTo("claim_not_acknowledged");
    assertThatStep(claimed.get(0).step()).isIn("in_progress");
  }

  @Test
  void a_claim_that_was_acknowledged_once_is_not_released_when_a_heartbeat_leaves_it_out() {
    Dag.of("a").started();
    register(anns, ANN, 2, "test.handler");
    Claim claim = claim(1).get(0);
    beat(5, claim);
    assertThat(beat(40).getJsonArray("unreported")).hasSize(1);
    assertThatStep(claim.step()).isIn("in_progress").untilAbout(start.plusSeconds(60));
  }

  @Test
  void a_step_that_runs_for_longer_than_its_template_allows_fails_although_its_worker_lives() {
    Dag.of("a").timeoutSeconds(10).started();
    register(anns, ANN, 2, "test.handler");
    Claim claim = claim(1).get(0);
    assertThat(beat(14, claim).getJsonArray("lost")).isEmpty();

    JsonObject answer = beat(16, claim);

    assertThat(answer.getJsonArray("lost").getValuesAs(JsonString::getString))
        .containsExactly(claim.step().toString());
    assertThatStep(claim.step()).isIn("waiting_for_retry");
    assertThat(sql.text("select error ->> 'type' from tasker.workflow_step_result_audit"))
        .isEqualTo("handler_timeout");
    assertThat(verdicts(submit(anns, ANN, null, result(claim, "success"))))
        .containsExactly("already");
  }

  // ---- checkpoints, and results of ancestors

  private JsonObject save(UUID worker, String owner, int seconds, JsonObject... checkpoints) {
    return sql.object("select tasker.save_worker_checkpoints(?, ?, ?::jsonb, 60, ?)", worker, owner,
        Json.createArrayBuilder(List.of(checkpoints)).build(), start.plusSeconds(seconds));
  }

  private static JsonObject checkpoint(Claim claim, int handoff, int row) {
    return Json.createObjectBuilder().add("step_uuid", claim.step().toString())
        .add("handoff", handoff)
        .add("checkpoint", Json.createObjectBuilder().add("row", row)).build();
  }

  private String savedRow(Claim claim) {
    return sql.text(
        "select checkpoint ->> 'row' from tasker.workflow_step_documents where workflow_step_uuid = ?",
        claim.step());
  }

  @Test
  void a_checkpoint_is_saved_for_the_next_attempt_and_renews_the_lease_of_its_step_alone() {
    Dag.Task task = Dag.of("a").handler("python.a").started();
    Dag.of("a").version("2").handler("python.a").started();
    register(anns, ANN, 2, "python.a");
    List<Claim> held = claim(2);
    Claim saving = held.stream().filter(claim -> claim.step().equals(task.step("a"))).findFirst()
        .orElseThrow();
    Claim other = held.stream().filter(claim -> claim != saving).findFirst().orElseThrow();

    JsonObject reply = save(anns, ANN, 50, checkpoint(saving, 1, 7));

    assertThat(reply.getString("outcome") + " " + verdicts(reply) + reply.getJsonArray("cancels"))
        .isEqualTo("saved [saved][]");
    assertThatStep(saving.step()).isIn("in_progress").hasHandoffs(1);
    assertThat(savedRow(saving)).isEqualTo("7");
    String left = "select round(extract(epoch from lease_expires_at - ?::timestamptz)) from tasker.workflow_steps where workflow_step_uuid = ?";
    assertThat(sql.text(left, start, saving.step())).isEqualTo("110");
    assertThat(sql.text(left, start, other.step())).isEqualTo("60");
    // It has the step, so the answer to its claim was not lost: no heartbeat releases it.
    beat(51);
    assertThatStep(saving.step()).isIn("in_progress");
    assertThatStep(other.step()).isIn("enqueued");
  }

  @Test
  void a_checkpoint_of_a_step_that_the_worker_does_not_hold_in_that_handoff_changes_nothing() {
    Dag.of("a").handler("python.a").started();
    register(anns, ANN, 2, "python.a");
    register(bobs, BOB, 2, "python.a");
    Claim claim = claim(1).get(0);

    assertThat(verdicts(save(anns, ANN, 1, checkpoint(claim, 1, 7)))).containsExactly("saved");
    assertThat(verdicts(save(bobs, BOB, 1, checkpoint(claim, 1, 8)))).as("another worker")
        .containsExactly("stale");
    assertThat(verdicts(save(anns, ANN, 1, checkpoint(claim, 2, 9)))).as("a handoff to come")
        .containsExactly("stale");
    assertThat(verdicts(submit(anns, ANN, null, result(claim, "success"))))
        .containsExactly("accepted");
    assertThat(verdicts(save(anns, ANN, 2, checkpoint(claim, 1, 10)))).as("after its result")
        .containsExactly("stale");
    assertThat(savedRow(claim)).isEqualTo("7");
    assertThat(save(anns, BOB, 1, checkpoint(claim, 1, 11)).getString("outcome"))
        .isEqualTo("unknown_worker");
    assertThat(save(UUID.randomUUID(), ANN, 1, checkpoint(claim, 1, 11)).getString("outcome"))
        .isEqualTo("unknown_worker");
  }

  @Test
  void a_worker_that_was_frozen_over_its_lease_saves_no_checkpoint_and_reads_no_results() {
    Dag.of("a").handler("python.a").maxAttempts(3).started();
    register(anns, ANN, 1, "python.a");
    Claim frozen = claim(1).get(0);
    assertThat(verdicts(save(anns, ANN, 1, checkpoint(frozen, 1, 7)))).containsExactly("saved");
    recoverFromAnnAndRegisterBob("python.a");
    Claim heir = claims(answer(44, poll(bobs, BOB, 1, null))).get(0);
    assertThat(heir.claimedStep().getJsonObject("checkpoint").getInt("row")).isEqualTo(7);

    assertThat(verdicts(save(bobs, BOB, 45, checkpoint(heir, heir.handoff(), 8))))
        .containsExactly("saved");
    assertThat(verdicts(save(anns, ANN, 46, checkpoint(frozen, 1, 3)))).containsExactly("stale");
    assertThat(savedRow(heir)).isEqualTo("8");
    assertThat(results(anns, ANN, frozen.step(), "{a}").getString("outcome"))
        .isEqualTo("not_claimed");
  }

  @Test
  void a_checkpoint_that_is_too_long_is_refused_with_its_index_and_none_is_saved() {
    Dag.of("a").handler("python.a").started();
    Dag.of("a").version("2").handler("python.a").started();
    register(anns, ANN, 2, "python.a");
    List<Claim> held = claim(2);
    JsonObject huge = Json.createObjectBuilder(checkpoint(held.get(1), 1, 1))
        .add("checkpoint", "x".repeat(65_535)).build();

    JsonObject reply = save(anns, ANN, 1, checkpoint(held.get(0), 1, 7), huge);

    assertThat(reply.getString("outcome") + " " + reply.getInt("index")).isEqualTo("invalid 1");
    assertThat(reply.getString("message"))
        .isEqualTo("the checkpoint has 65537 bytes, and may have at most 65536");
    assertThat(savedRow(held.get(0))).isNull();
  }

  @Test
  void a_saved_checkpoint_tells_of_a_cancel_request() {
    Dag.Task task = Dag.of("a").handler("python.a").started();
    register(anns, ANN, 1, "python.a");
    Claim claim = claim(1).get(0);
    sql.text("select tasker.request_cancel(?, 'ann', 'a test', p_grace_seconds => 30, p_now => ?)",
        task.uuid(), start.plusSeconds(10));

    JsonObject cancel = save(anns, ANN, 20, checkpoint(claim, 1, 7)).getJsonArray("cancels")
        .getJsonObject(0);

    assertThat(cancel.getString("step_uuid") + " " + cancel.getInt("force_in_ms"))
        .isEqualTo(claim.step() + " 20000");
  }

  private JsonObject results(UUID worker, String owner, UUID step, String names) {
    return sql.object("select tasker.get_worker_step_results(?, ?, ?, ?::text[])", worker, owner,
        step, names);
  }

  @Test
  void a_worker_reads_results_of_all_ancestors_of_its_own_steps_and_of_no_other() {
    Dag.Task task = Dag.of("a").handler("python.a").step("b").handler("python.a").dependsOn("a")
        .step("c").handler("python.a")
        .dependsOn("b").step("d").handler("python.a")
        .dependsOn("c").started();
    register(anns, ANN, 1, "python.a");
    register(bobs, BOB, 1, "python.a");
    Claim first = claim(1).get(0);
    assertThat(results(anns, ANN, first.step(), "{a,b}").getJsonObject("results")).isEmpty();
    for (String name : List.of("a", "b")) {
      Claim claim = name.equals("a") ? first : claim(1).get(0);
      submit(anns, ANN, null,
          Json.createObjectBuilder(result(claim, "success")).add("result", "of " + name).build());
    }
    Claim third = claim(1).get(0);

    JsonObject found = results(anns, ANN, third.step(), "{a,b,c,d,nothing}");

    assertThat(found.getString("outcome")).isEqualTo("found");
    assertThat(found.getJsonObject("results").toString())
        .isEqualTo("{\"a\":\"of a\",\"b\":\"of b\"}");
    assertThat(results(anns, ANN, third.step(), "{b}").getJsonObject("results").keySet())
        .containsExactly("b");
    assertThat(found.getString("namespace")).isEqualTo(sql.text(
        "select n.name from tasker.task_namespaces n join tasker.named_tasks t using (task_namespace_uuid) join tasker.tasks k using (named_task_uuid) "
            + "where k.task_uuid = ?",
        task.uuid()));
    assertThat(results(bobs, BOB, third.step(), "{a}").toString())
        .isEqualTo("{\"outcome\":\"not_claimed\"}");
    assertThat(results(anns, ANN, first.step(), "{a}").toString()).as("a step that has ended")
        .isEqualTo("{\"outcome\":\"not_claimed\"}");
    assertThat(results(anns, ANN, task.step("d"), "{a}").toString()).as("not claimed yet")
        .isEqualTo("{\"outcome\":\"not_claimed\"}");
    assertThat(results(anns, BOB, third.step(), "{a}").toString())
        .isEqualTo("{\"outcome\":\"unknown_worker\"}");
  }

  private JsonObject batchResults(UUID worker, String owner, UUID step, String name, int after,
      int limit, int mostBytes) {
    return sql.object("select tasker.get_worker_batch_results(?, ?, ?, ?, ?, ?, ?)", worker, owner,
        step, name, after, limit, mostBytes);
  }

  private static List<Integer> numbers(JsonObject page) {
    return page.getJsonArray("results").getValuesAs(JsonObject.class).stream()
        .map(each -> each.getInt("batch_number")).toList();
  }

  @Test
  void a_worker_reads_the_results_of_a_batch_by_page_from_which_its_own_step_follows() {
    Dag.Task task = Dag.of("cut").handler("python.a").batchable().step("load").dependsOn("cut")
        .batchWorker("{\"parallelism\": 5}")
        .handler("python.a").step("report").handler("python.a").dependsOn("load").started();
    register(anns, ANN, 9, "python.a");
    register(bobs, BOB, 1, "python.a");
    submit(anns, ANN, null, Json.createObjectBuilder(result(claim(1).get(0), "success"))
        .add("batches", Json.createArrayBuilder().add(1).add(2).add(3).add(4).add(5)).build());
    List<Claim> workers = claim(5);
    assertThat(
        batchResults(anns, ANN, workers.get(0).step(), "load", 0, 9, 1_000).getString("outcome"))
        .as("does not follow from it")
        .isEqualTo("no_such_batch");
    for (Claim claim : workers) {
      submit(anns, ANN, null,
          claim.claimedStep().getString("name").endsWith("2") ? result(claim, "permanent_failure")
              : Json.createObjectBuilder(result(claim, "success")).add("result", "x".repeat(100))
                  .build());
    }
    UUID step = claim(1).get(0).step();

    JsonObject page = batchResults(anns, ANN, step, "load", 0, 2, 1_048_576);
    assertThat(numbers(page)).containsExactly(1, 2);
    assertThat(page.getString("next")).isEqualTo("2");
    assertThat(page.getString("namespace")).isEqualTo(sql.text(
        "select n.name from tasker.task_namespaces n join tasker.named_tasks t using (task_namespace_uuid) join tasker.tasks k using (named_task_uuid) "
            + "where k.task_uuid = ?",
        task.uuid()));
    assertThat(page.getJsonArray("results").getJsonObject(0).getString("result")).hasSize(100);
    assertThat(page.getJsonArray("results").getJsonObject(1)).containsKey("error")
        .doesNotContainKey("result");
    JsonObject last = batchResults(anns, ANN, step, "load", 2, 3, 1_048_576);
    assertThat(numbers(last)).containsExactly(3, 4, 5);
    assertThat(last.isNull("next")).isTrue();
    JsonObject small = batchResults(anns, ANN, step, "load", 2, 9, 200);
    assertThat(numbers(small)).as("ends with the result that exceeds the limit").containsExactly(3,
        4);
    assertThat(small.getString("next")).isEqualTo("4");
    assertThat(numbers(batchResults(anns, ANN, step, "load", 2, 9, 1))).as("never none")
        .containsExactly(3);
    assertThat(numbers(batchResults(anns, ANN, step, "load", 5, 9, 1))).isEmpty();
    for (String name : List.of("cut", "report", "none")) {
      assertThat(batchResults(anns, ANN, step, name, 0, 9, 1_000).getString("outcome")).as(name)
          .isEqualTo("no_such_batch");
    }
    assertThat(batchResults(bobs, BOB, step, "load", 0, 9, 1_000).toString())
        .isEqualTo("{\"outcome\":\"not_claimed\"}");
    assertThat(batchResults(anns, BOB, step, "load", 0, 9, 1_000).toString())
        .isEqualTo("{\"outcome\":\"unknown_worker\"}");
    assertThat(batchResults(anns, ANN, workers.get(0).step(), "load", 0, 9, 1_000).toString())
        .as("a step that has ended")
        .isEqualTo("{\"outcome\":\"not_claimed\"}");
  }

  /** Ann's worker is not heard of for 43 seconds, after which Bob registers one. */
  private void recoverFromAnnAndRegisterBob(String handler) {
    UUID server = UUID.randomUUID();
    JsonObject last = null;
    for (int seconds = 0; seconds <= 42; seconds += 2) {
      last = sql.object("select tasker.heartbeat(?, 'server', 'orchestrator', 10, 0, '[]', 60, ?)",
          server, start.plusSeconds(seconds));
      if (!last.getJsonArray("lost_servers").isEmpty()) {
        break;
      }
    }
    assertThat(last.getJsonArray("lost_servers").getValuesAs(JsonString::getString))
        .containsExactly(anns.toString());
    try (SqlWorker orchestrator = SqlWorker.open()) {
      orchestrator.at(start.plusSeconds(43)).advance();
    }
    sql.object("select tasker.register_worker(?::jsonb, ?, ?, ?)",
        Json.createObjectBuilder().add("worker_uuid", bobs.toString()).add("name", "w")
            .add("capacity", 1)
            .add("handlers", Json.createArrayBuilder().add(handler)).build(),
        start.plusSeconds(43), BOB, BOB);
  }

  @Test
  void a_worker_that_dies_is_recovered_and_another_gets_its_steps() {
    Dag.Task task = Dag.of("a").started();
    register(anns, ANN, 2, "test.handler");
    Claim claim = claim(1).get(0);
    recoverFromAnnAndRegisterBob("test.handler");

    Claim next = claims(answer(44, poll(bobs, BOB, 1, null))).get(0);

    assertThat(next.step()).isEqualTo(claim.step());
    assertThat(next.attempt()).isEqualTo(2);
    assertThat(verdicts(submit(anns, ANN, null, result(claim, "success"))))
        .as("the dead one comes back").containsExactly("stale");
    submit(bobs, BOB, null, result(next, "success"));
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_drained_worker_ends_what_it_holds_and_has_stopped() {
    Dag.of("a").started(3);
    register(anns, ANN, 2, "test.handler");
    List<Claim> claimed = claim(2);

    JsonObject drained = sql.object("select tasker.drain_worker(?, ?)", anns, ANN);

    assertThat(drained.getString("state") + " " + drained.getInt("claimed"))
        .isEqualTo("draining 2");
    assertThat(beat(1, claimed.toArray(Claim[]::new)).getString("state")).as("it stays so")
        .isEqualTo("draining");
    assertThat(answer(1, poll(anns, ANN, 2, null)).getString("outcome")).isEqualTo("not_claiming");
    JsonObject reply = submit(anns, ANN, "{\"max\": 2}", result(claimed.get(0), "success"));
    assertThat(verdicts(reply)).containsExactly("accepted");
    assertThat(claims(reply)).isEmpty();
    assertThat(reply.getString("state")).isEqualTo("draining");
    assertThat(submit(anns, ANN, null, result(claimed.get(1), "success")).getString("state"))
        .isEqualTo("stopped");
    assertThat(document()).isEqualTo("stopped 0 0");
    assertThat(sql.object("select tasker.drain_worker(?)", anns).getString("state"))
        .as("an operator, once more").isEqualTo("stopped");
    assertThat(register(anns, ANN, 2, "test.handler").getBoolean("is_new")).isFalse();
    assertThat(claim(2)).hasSize(1);
  }

  @Test
  void a_worker_that_drains_with_nothing_to_do_stops_at_once_or_with_its_next_heartbeat() {
    Dag.of("a").started();
    register(anns, ANN, 2, "test.handler");
    Claim claim = claim(1).get(0);
    sql.object("select tasker.drain_worker(?, ?)", anns, ANN);
    sql.text(
        "select tasker.abandon_steps(jsonb_build_array(jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 1)), ?)",
        claim.step(), claim.task(), UUID.randomUUID());
    assertThat(beat(2, claim).getString("state")).isEqualTo("stopped");
    register(anns, ANN, 2, "test.handler");
    assertThat(sql.object("select tasker.drain_worker(?, ?)", anns, ANN).getString("state"))
        .isEqualTo("stopped");
  }

  @Test
  void a_new_registration_is_told_what_the_worker_still_holds_and_templates_of_its_steps_are_found() {
    Dag.of("a").started();
    assertThat(register(anns, ANN, 2, "test.handler").getBoolean("is_new")).isTrue();
    Claim claim = claim(1).get(0);
    JsonObject again = register(anns, ANN, 2, "test.handler");
    assertThat(again.getJsonArray("steps").getJsonObject(0).getString("step_uuid"))
        .isEqualTo(claim.step().toString());

    JsonArray held = sql.array("select tasker.get_worker_claims(?, ?, ?::jsonb)", anns, ANN,
        Json.createArrayBuilder().add(result(claim, "success"))
            .add(result(claim.asHandoff(2), "success")).build());

    assertThat(held).hasSize(1);
    assertThat(held.getJsonObject(0).getString("template_step_uuid"))
        .isEqualTo(claim.claimedStep().getString("template_step_uuid"));
    assertThat(held.getJsonObject(0).getString("task_uuid")).isEqualTo(claim.task().toString());
    assertThat(sql.object("select tasker.get_worker_documents()").getJsonArray("workers"))
        .hasSize(1);
  }
}
