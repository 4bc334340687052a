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
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Servers with different handlers: one runs the old version of an application, the other the new one. */
@DatabaseTest
@DatabaseTest.Covers({"has_handler", "get_handlers_elsewhere", "refresh_handlers_elsewhere"})
class DeclineStepsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker withHandler = SqlWorker.open();
  private final SqlWorker without = SqlWorker.open();
  private final Instant start = Instant.now();

  private JsonObject beat(SqlWorker server, int seconds, String report) {
    return sql.object("select tasker.heartbeat(?, 'name', 'worker', 10, 0, '[]', 60, ?, ?::jsonb)", server.uuid(),
        start.plusSeconds(seconds), report);
  }

  private JsonObject beat(SqlWorker server, int seconds, List<String> handlers) {
    return beat(server, seconds, Json.createObjectBuilder().add("heartbeat_seconds", 2).add("handlers", Json.createArrayBuilder(handlers))
        .add("resolvers", Json.createArrayBuilder()).build().toString());
  }

  private JsonObject decline(SqlWorker server, int seconds, Claim... claims) {
    var array = Json.createArrayBuilder();
    for (Claim claim : claims) {
      array.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString()).add("task_uuid", claim.task().toString())
          .add("handoff", claim.handoff()));
    }
    return sql.object("select tasker.decline_steps(?, ?, ?)", array.build(), server.uuid(), start.plusSeconds(seconds));
  }

  private List<String> unserved(JsonObject reply) {
    return reply.getJsonArray("unserved").stream().map(value -> value.toString().replace("\"", "")).toList();
  }

  /** Two servers: one has the handlers of all steps, the other of none but those named. */
  private void twoServers(Dag template, String... alsoHadByTheOther) {
    template.registered();
    beat(withHandler, 0, List.of("shared", "test.handler"));
    beat(without, 0, List.of(alsoHadByTheOther));
    beat(withHandler, 0, List.of("shared", "test.handler"));
  }

  @Test
  void a_server_without_the_handler_is_never_given_the_step_and_one_with_it_is() {
    Dag template = Dag.of("a");
    twoServers(template);
    Dag.Task task = template.started();

    assertThat(without.claim(10)).isEmpty();

    assertThat(withHandler.claim(10)).extracting(Claim::step).containsExactly(task.step("a"));
    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
  }

  @Test
  void messages_for_others_hold_up_none_of_what_a_server_can_run() {
    Dag foreign = Dag.of("a").version("1");
    Dag own = Dag.of("b").version("2").handler("shared");
    own.registered();
    twoServers(foreign, "shared");
    for (int i = 0; i < 30; i++) {
      foreign.started();
    }
    Dag.Task task = own.started();

    assertThat(without.claim(5)).extracting(Claim::step).containsExactly(task.step("b"));
    assertThat(without.claim(5)).isEmpty();
    assertThat(withHandler.claim(100)).hasSize(30);
  }

  @Test
  void submission_and_completion_give_a_server_no_step_that_it_cannot_run() {
    Dag template = Dag.of("a").handler("shared").step("b").dependsOn("a").step("c").handler("shared").dependsOn("a");
    twoServers(template, "shared");

    JsonObject submitted = sql.object("select tasker.submit_tasks(?, ?, 10)",
        Json.createArrayBuilder().add(template.request(template.registered())).build(), without.uuid());
    List<Claim> roots = SqlWorker.claims(submitted.getJsonArray("claimed_steps"));
    assertThat(roots).hasSize(1);

    JsonObject completed = without.complete(10, List.of(roots.get(0).success()));

    assertThat(completed.getJsonArray("claimed_steps")).hasSize(1);
    UUID task = roots.get(0).task();
    assertThat(sql.text(
        "select s.state from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? and n.name = 'c'",
        task)).isEqualTo("in_progress");
    assertThat(sql.text(
        "select s.state from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? and n.name = 'b'",
        task)).isEqualTo("enqueued");
    assertThat(completed.getJsonArray("queued")).as("others are told").hasSize(1);
    assertThat(withHandler.claim(10)).hasSize(1);
  }

  @Test
  void roots_of_another_servers_handlers_are_offered_and_not_claimed_at_submission() {
    Dag template = Dag.parallel(3);
    twoServers(template);

    JsonObject submitted = sql.object("select tasker.submit_tasks(?, ?, 10)",
        Json.createArrayBuilder().add(template.request(template.registered())).build(), without.uuid());

    assertThat(submitted.getJsonArray("claimed_steps")).isEmpty();
    assertThat(submitted.getJsonArray("queued")).hasSize(1);
    assertThat(withHandler.claim(10)).hasSize(3);
  }

  @Test
  void a_step_that_was_claimed_before_the_other_server_was_known_goes_back_and_costs_no_attempt() {
    Dag template = Dag.of("a").maxAttempts(1);
    beat(without, 0, List.of());
    Dag.Task task = template.started();
    Claim claim = without.claimOne();
    beat(withHandler, 1, List.of("test.handler"));

    assertThat(unserved(decline(without, 1, claim))).isEmpty();

    assertThatStep(task.step("a")).isIn("enqueued").hasHandoffs(2).hasAttempts(1);
    assertThat(without.complete(claim.success()).getJsonArray("refused").getJsonObject(0).getString("verdict")).as("the attempt is fenced")
        .isEqualTo("STALE");
    assertThat(without.claim(10)).as("it is not taken again").isEmpty();
    Claim second = withHandler.claimOne();
    assertThat(second.claimedStep().getInt("max_attempts")).as("the attempt that was given back is not counted").isEqualTo(1);
    withHandler.complete(second.success());
    assertThatTask(task).isIn("complete");
    assertThat(sql.text(
        "select metadata ->> 'reason' from tasker.workflow_step_transitions where workflow_step_uuid = ? and from_state = 'in_progress' and to_state = 'pending'",
        task.step("a"))).isEqualTo("no_handler_on_this_server");
  }

  @Test
  void a_step_whose_handler_no_server_has_stays_with_the_server_that_is_to_fail_it() {
    Dag.Task task = Dag.of("a").started();
    beat(without, 0, List.of());
    beat(withHandler, 0, List.of("something.else"));
    beat(without, 0, List.of());
    Claim claim = without.claimOne();

    assertThat(unserved(decline(without, 0, claim))).containsExactly(claim.step().toString());

    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
  }

  @Test
  void when_the_only_server_with_the_handler_ends_its_steps_wait_a_minute_and_are_then_failed_by_another() {
    Dag template = Dag.of("a");
    twoServers(template);
    Dag.Task task = template.started();
    assertThat(without.claim(1)).isEmpty();

    assertThat(beat(without, 30, List.of()).getBoolean("takes_changed")).as("lost, and it may be back").isFalse();
    assertThat(without.claim(1)).isEmpty();
    assertThat(beat(without, 61, List.of()).getBoolean("takes_changed")).as("it is told to look again").isTrue();

    Claim claim = without.claimOne();
    assertThat(unserved(decline(without, 62, claim))).containsExactly(task.step("a").toString());
  }

  @Test
  void a_server_that_restarts_with_the_handler_is_waited_for() {
    Dag template = Dag.of("a");
    twoServers(template);
    Dag.Task task = template.started();
    beat(withHandler, 1, "{\"state\": \"stopped\", \"heartbeat_seconds\": 2, \"handlers\": [\"test.handler\"], \"resolvers\": []}");
    beat(without, 30, List.of());
    assertThat(without.claim(1)).isEmpty();

    SqlWorker again = SqlWorker.open();
    beat(again, 40, List.of("test.handler"));

    assertThat(again.claim(1)).hasSize(1);
    assertThatStep(task.step("a")).hasAttempts(1);
  }

  @Test
  void a_bean_without_the_method_is_as_good_as_no_bean() {
    Dag template = Dag.of("a").handler("shared", "newer");
    twoServers(template, "shared");
    Dag.Task task = template.started();
    Claim claim = without.claimOne();

    assertThat(unserved(decline(without, 0, claim))).isEmpty();
    assertThat(without.claim(1)).as("its name is there, and it was seen not to help").isEmpty();
    assertThat(sql.text("select missing from tasker.servers where server_uuid = ?", without.uuid())).isEqualTo("{shared#newer}");

    // The other has it neither: now no worker has it.
    Claim second = withHandler.claimOne();
    assertThat(unserved(decline(withHandler, 0, second))).containsExactly(task.step("a").toString());
  }

  @Test
  void a_server_of_other_namespaces_counts_for_nothing() {
    Dag template = Dag.of("a").inNamespace("orders");
    beat(withHandler, 0, "{\"heartbeat_seconds\": 2, \"handlers\": [\"test.handler\"], \"resolvers\": [], \"namespaces\": [\"billing\"]}");
    beat(without, 0, List.of());
    template.started();

    Claim claim = without.claimOne();

    assertThat(unserved(decline(without, 0, claim))).hasSize(1);
  }

  @Test
  void a_resolver_counts_by_its_name_and_what_it_was_seen_not_to_find() {
    assertThat(has("{a}", "{}", "{}", "a", null)).isTrue();
    assertThat(has("{a}", "{}", "{}", "b", null)).isFalse();
    assertThat(has(null, null, "{}", "b", "r")).as("an older server that says nothing").isTrue();
    assertThat(has("{a}", "{r}", "{}", "b", "r")).isTrue();
    assertThat(has("{a}", "{}", "{}", "a", "r")).as("the bean does not replace the resolver").isFalse();
    assertThat(has("{a}", "{r}", "{resolver:r:b}", "b", "r")).isFalse();
    assertThat(has("{a}", "{r}", "{a}", "a", null)).isFalse();
  }

  private boolean has(String handlers, String resolvers, String missing, String callable, String resolver) {
    return sql.isTrue("select tasker.has_handler(?::text[], ?::text[], ?::text[], ?, ?, ?)", handlers, resolvers, missing, callable,
        resolver,
        (resolver == null ? "" : "resolver:" + resolver + ":") + callable);
  }

  @Test
  void stale_claims_are_left_out() {
    Dag template = Dag.of("a");
    twoServers(template);
    Dag.Task task = template.started();
    Claim claim = withHandler.claimOne();

    JsonObject reply = decline(without, 0, claim.asHandoff(7));

    assertThat(unserved(reply)).isEmpty();
    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
  }
}
