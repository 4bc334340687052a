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

/**
 * A step is given only to a worker that has its handler: one runs the old version of an
 * application, the other the new one.
 */
@DatabaseTest
@DatabaseTest.Covers({"has_handler", "calculate_served_handlers", "get_served_handlers",
  "declare_worker", "record_handlers"})
class DeclineStepsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker withHandler = SqlWorker.open();
  private final SqlWorker without = SqlWorker.open();
  private final Instant start = Instant.now();

  private JsonObject beat(SqlWorker server, int seconds, String report) {
    return sql.object("select tasker.heartbeat(?, 'name', 'worker', 10, 0, '[]', 60, ?, ?::jsonb)",
        server.uuid(), start.plusSeconds(seconds), report);
  }

  private JsonObject beat(SqlWorker server, int seconds, List<String> handlers) {
    return beat(server, seconds,
        Json.createObjectBuilder().add("heartbeat_seconds", 2)
            .add("handlers", Json.createArrayBuilder(handlers))
            .add("resolvers", Json.createArrayBuilder()).build().toString());
  }

  private JsonObject decline(SqlWorker server, int seconds, Claim... claims) {
    var array = Json.createArrayBuilder();
    for (Claim claim : claims) {
      array.add(Json.createObjectBuilder().add("step_uuid", claim.step().toString())
          .add("task_uuid", claim.task().toString())
          .add("handoff", claim.handoff()));
    }
    return sql.object("select tasker.decline_steps(?, ?, ?)", array.build(), server.uuid(),
        start.plusSeconds(seconds));
  }

  /** Two servers: one has the handlers of all steps, the other of none but those named. */
  private void twoServers(Dag template, String... alsoHadByTheOther) {
    template.registered();
    beat(withHandler, 0, List.of("shared", "test.handler"));
    beat(without, 0, List.of(alsoHadByTheOther));
  }

  private String state(UUID task, String step) {
    return sql.text(
        "select s.state from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? and n.name = ?",
        task, step);
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
  void a_step_whose_handler_no_server_has_is_given_to_none_and_waits_for_one_that_starts_with_it() {
    Dag template = Dag.of("a");
    template.registered();
    beat(without, 0, List.of());
    Dag.Task task = template.started();

    assertThat(without.claim(10)).isEmpty();
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(1);

    beat(withHandler, 100, List.of("test.handler"));
    assertThat(withHandler.claim(10)).extracting(Claim::step).containsExactly(task.step("a"));
    assertThatStep(task.step("a")).hasAttempts(1);
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
  void steps_of_several_handlers_are_claimed_in_the_order_of_their_tasks() {
    Dag one = Dag.of("a").version("1").handler("one");
    Dag two = Dag.of("b").version("2").handler("two");
    Dag other = Dag.of("c").version("3");
    other.registered();
    twoServers(other, "one", "two");
    List<Dag> order = List.of(one, two, two, one, two, one, one);
    List<UUID> steps = new java.util.ArrayList<>();
    for (Dag template : order) {
      other.started();
      Dag.Task task = template.started();
      steps.add(task.step(template == one ? "a" : "b"));
    }

    List<UUID> claimed = new java.util.ArrayList<>();
    for (int i = 0; i < 3; i++) {
      List<UUID> batch = without.claim(3).stream().map(Claim::step).toList();
      assertThat(batch).as("the oldest ones").containsExactlyInAnyOrderElementsOf(
          steps.subList(3 * i, Math.min(3 * i + 3, steps.size())));
      claimed.addAll(batch);
    }
    assertThat(claimed).hasSameSizeAs(steps);
  }

  @Test
  void two_sessions_of_a_server_without_some_handlers_claim_disjoint_steps_and_wait_for_nothing() {
    Dag foreign = Dag.of("a").version("1");
    Dag own = Dag.of("b").version("2").handler("shared");
    own.registered();
    twoServers(foreign, "shared");
    foreign.started();
    for (int i = 0; i < 6; i++) {
      own.started();
    }
    try (Sql one = Sql.session(); Sql two = Sql.session()) {
      String claim = "select json_array_length(tasker.claim_steps(?, 4))";
      assertThat(one.number(claim, without.uuid())).isEqualTo(4);
      assertThat(two.number(claim, without.uuid()))
          .as("what the first one has locked is passed over").isEqualTo(2);
      one.commit();
      two.commit();
    }
    assertThat(sql.number("select count(*) from tasker.workflow_steps where state = 'in_progress'"))
        .isEqualTo(6);
  }

  /** The same claim with and without ten thousand messages for another server before its own. */
  @Test
  void ten_thousand_messages_for_others_cost_a_claim_nothing() {
    Dag foreign = Dag.of("a").version("1");
    Dag own = Dag.of("b").version("2").handler("shared");
    own.registered();
    twoServers(foreign, "shared");
    sql.run(
        "insert into pgmq.q_worker_orders_queue (vt, message, headers) select clock_timestamp(), "
            + "jsonb_build_object('step_uuid', gen_random_uuid(), 'task_uuid', gen_random_uuid(), 'handoff', 1), "
            + "jsonb_build_object('claim_order', n, 'handler', 'test.handler') from generate_series(1, 10000) n");
    for (boolean isAnalyzed : new boolean[]{false, true}) {
      if (isAnalyzed) {
        sql.run("analyze pgmq.q_worker_orders_queue");
      }
      for (int i = 0; i < 5; i++) {
        own.started();
      }
      long before = entriesRead();
      try (Sql session = Sql.session()) {
        assertThat(
            session.number("select json_array_length(tasker.claim_steps(?, 10))", without.uuid()))
            .isEqualTo(5);
        session.run("select pg_stat_force_next_flush()");
        session.commit();
      }
      assertThat(entriesRead() - before)
          .as("entries of the queue's indexes that were read, statistics there: " + isAnalyzed)
          .isBetween(5L, 60L);
    }
    sql.run("delete from pgmq.q_worker_orders_queue");
  }

  private static long entriesRead() {
    try (Sql sql = Sql.open()) {
      return sql.number(
          "select sum(i.idx_tup_read)::bigint + (select seq_tup_read from pg_stat_user_tables where relname = 'q_worker_orders_queue') "
              + "from pg_stat_user_indexes i where i.relname = 'q_worker_orders_queue'");
    }
  }

  @Test
  void submission_and_completion_give_a_server_no_step_that_it_cannot_run() {
    Dag template = Dag.of("a").handler("shared").step("b").dependsOn("a").step("c")
        .handler("shared").dependsOn("a");
    twoServers(template, "shared");

    JsonObject submitted = sql.object("select tasker.submit_tasks(?, ?, 10)",
        Json.createArrayBuilder().add(template.request(template.registered())).build(),
        without.uuid());
    List<Claim> roots = SqlWorker.claims(submitted.getJsonArray("claimed_steps"));
    assertThat(roots).hasSize(1);

    JsonObject completed = without.complete(10, List.of(roots.get(0).success()));

    assertThat(completed.getJsonArray("claimed_steps")).hasSize(1);
    UUID task = roots.get(0).task();
    assertThat(state(task, "c")).isEqualTo("in_progress");
    assertThat(state(task, "b")).isEqualTo("enqueued");
    assertThat(completed.getJsonArray("queued")).as("others are told").hasSize(1);
    assertThat(withHandler.claim(10)).hasSize(1);
  }

  @Test
  void roots_of_another_servers_handlers_are_offered_and_not_claimed_at_submission() {
    Dag template = Dag.parallel(3);
    twoServers(template);

    JsonObject submitted = sql.object("select tasker.submit_tasks(?, ?, 10)",
        Json.createArrayBuilder().add(template.request(template.registered())).build(),
        without.uuid());

    assertThat(submitted.getJsonArray("claimed_steps")).isEmpty();
    assertThat(submitted.getJsonArray("queued")).hasSize(1);
    assertThat(withHandler.claim(10)).hasSize(3);
  }

  @Test
  void a_round_of_the_orchestrator_gives_a_server_no_step_that_it_cannot_run() {
    Dag template = Dag.of("a").handler("shared").step("b");
    twoServers(template, "shared");
    Dag.Task task = template.submitted();

    JsonObject advanced = sql.object("select tasker.advance_due_tasks(?, 100, 10)", without.uuid());

    assertThat(SqlWorker.claims(advanced.getJsonArray("claimed_steps"))).extracting(Claim::step)
        .containsExactly(task.step("a"));
    assertThatStep(task.step("b")).isIn("enqueued");
  }

  @Test
  void a_single_move_is_no_way_around_it() {
    Dag template = Dag.of("a");
    twoServers(template);
    Dag.Task task = template.started();
    String move = "select tasker.transition_step_state_atomic(?, 1, 'enqueued', 'in_progress', 'worker', ?)";

    assertThat(sql.isTrue(move, task.step("a"), without.uuid())).isFalse();
    assertThat(sql.isTrue(move, task.step("a"), withHandler.uuid())).isTrue();
  }

  @Test
  void a_message_that_names_another_handler_than_the_template_does_not_give_the_step_to_a_worker_without_its_handler() {
    Dag foreign = Dag.of("a").version("1");
    Dag own = Dag.of("b").version("2").handler("shared");
    own.registered();
    twoServers(foreign, "shared");
    Dag.Task named = foreign.started();
    Dag.Task nameless = foreign.started();
    sql.run(
        "update pgmq.q_worker_orders_queue set headers = headers || '{\"handler\": \"shared\"}' where message ->> 'step_uuid' = ?",
        named.step("a").toString());
    sql.run(
        "update pgmq.q_worker_orders_queue set headers = headers - 'handler' where message ->> 'step_uuid' = ?",
        nameless.step("a").toString());

    assertThat(without.claim(10)).isEmpty();

    assertThatStep(named.step("a")).isIn("enqueued").hasAttempts(1);
    withHandler.at(start.plusSeconds(40)).advance();
    assertThat(withHandler.claim(10)).as("their messages are sent again, as the template says")
        .hasSize(2);
  }

  @Test
  void a_message_without_a_handler_or_a_place_is_found_by_a_server_that_has_some_handlers_only() {
    Dag foreign = Dag.of("a").version("1");
    Dag own = Dag.of("b").version("2").handler("shared").step("c").handler("shared").step("d")
        .handler("shared");
    own.registered();
    twoServers(foreign, "shared");
    own.started();
    sql.run(
        "update pgmq.q_worker_orders_queue set headers = null where msg_id = (select min(msg_id) from pgmq.q_worker_orders_queue)");
    sql.run(
        "update pgmq.q_worker_orders_queue set headers = headers - 'claim_order' where msg_id = (select max(msg_id) from pgmq.q_worker_orders_queue)");

    assertThat(without.claim(10)).extracting(Claim::step).doesNotHaveDuplicates();
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("all messages were seen").isZero();
  }

  @Test
  void a_template_that_comes_later_counts_at_once_for_workers_that_were_there_before() {
    Dag known = Dag.of("a").version("1").inNamespace("comes_later").handler("shared");
    known.registered();
    beat(without, 0, List.of("shared"));
    assertThat(sql.text("select served -> 'comes_later' from tasker.workers where worker_uuid = ?",
        without.uuid())).as("it serves all").isNull();

    Dag.Task task = Dag.of("b").version("2").inNamespace("comes_later").handler("newer").started();

    assertThat(without.claim(10)).as("without a heartbeat in between").isEmpty();
    assertThatStep(task.step("b")).isIn("enqueued");
    assertThat(beat(without, 1, List.of("shared")).getBoolean("takes_changed")).isTrue();
    assertThat(beat(without, 2, List.of("shared")).getBoolean("takes_changed")).isFalse();
    assertThat(without.claim(10)).isEmpty();
  }

  @Test
  void a_template_of_known_handlers_changes_nothing_for_anyone() {
    Dag.of("a").version("1").registered();
    String version = "select version from tasker.handler_catalog";
    long before = sql.number(version);
    Dag.of("a").step("b").version("2").registered();
    assertThat(sql.number(version)).isEqualTo(before);
    Dag.of("a").version("3").handler("never.named." + UUID.randomUUID()).registered();
    assertThat(sql.number(version)).isEqualTo(before + 1);
  }

  @Test
  void a_server_is_given_no_step_of_another_namespace_at_submission_either() {
    Dag template = Dag.of("a").inNamespace("orders");
    template.registered();
    beat(without, 0,
        "{\"heartbeat_seconds\": 2, \"handlers\": [\"test.handler\"], \"resolvers\": [], \"namespaces\": [\"billing\"]}");

    JsonObject submitted = sql.object("select tasker.submit_tasks(?, ?, 10)",
        Json.createArrayBuilder().add(template.request(template.registered())).build(),
        without.uuid());

    assertThat(submitted.getJsonArray("claimed_steps")).isEmpty();
    assertThat(without.claim(10))
        .as("nor from the queues, regardless of the namespaces that the call names").isEmpty();
    assertThat(SqlWorker.open().claim(10)).as("a worker that says nothing may run everything")
        .hasSize(1);
  }

  @Test
  void a_step_that_is_declined_goes_back_costs_no_attempt_and_waits_for_another_worker() {
    Dag template = Dag.of("a").maxAttempts(1).handler("shared", "newer");
    twoServers(template, "shared");
    Dag.Task task = template.started();
    Claim claim = without.claimOne();

    decline(without, 1, claim);

    assertThatStep(task.step("a")).isIn("enqueued").hasHandoffs(2).hasAttempts(1);
    assertThat(without.complete(claim.success()).getJsonArray("refused").getJsonObject(0)
        .getString("verdict")).as("the handoff is fenced")
        .isEqualTo("STALE");
    assertThat(without.claim(10)).as("it is not given that handler again").isEmpty();
    assertThat(sql.text("select unable from tasker.workers where worker_uuid = ?", without.uuid()))
        .isEqualTo("{shared#newer}");
    beat(without, 2, List.of("shared"));
    assertThat(without.claim(10)).as("nor after its next heartbeat").isEmpty();
    Claim second = withHandler.claimOne();
    assertThat(second.claimedStep().getInt("max_attempts"))
        .as("the attempt that was given back is not counted").isEqualTo(1);
    withHandler.complete(second.success());
    assertThatTask(task).isIn("complete");
    assertThat(sql.text(
        "select metadata ->> 'reason' from tasker.workflow_step_transitions where workflow_step_uuid = ? and from_state = 'in_progress' and to_state = 'pending'",
        task.step("a"))).isEqualTo("no_handler_on_this_worker");
  }

  @Test
  void a_step_that_every_worker_declines_waits_and_is_not_failed() {
    Dag template = Dag.of("a").handler("shared", "newest");
    twoServers(template, "shared");
    Dag.Task task = template.started();
    decline(without, 0, without.claimOne());
    decline(withHandler, 0, withHandler.claimOne());

    assertThat(without.claim(1)).isEmpty();
    assertThat(withHandler.claim(1)).isEmpty();
    assertThatStep(task.step("a")).isIn("enqueued").hasHandoffs(3).hasAttempts(1);
    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void a_caller_that_is_no_registered_worker_may_decline_too() {
    Dag.Task task = Dag.of("a").started();
    decline(without, 0, without.claimOne());
    assertThatStep(task.step("a")).isIn("enqueued").hasHandoffs(2).hasAttempts(1);
  }

  @Test
  void a_resolver_counts_by_its_name_and_what_it_was_seen_not_to_find() {
    assertThat(has("{a}", "{}", "{}", "a", null)).isTrue();
    assertThat(has("{a}", "{}", "{}", "b", null)).isFalse();
    assertThat(has(null, null, "{}", "b", "r")).as("a worker that says nothing").isTrue();
    assertThat(has("{a}", "{r}", "{}", "b", "r")).isTrue();
    assertThat(has("{a}", "{}", "{}", "a", "r")).as("the bean does not replace the resolver")
        .isFalse();
    assertThat(has("{a}", "{r}", "{resolver:r:b}", "b", "r")).isFalse();
    assertThat(has("{a}", "{r}", "{a}", "a", null)).isFalse();
  }

  private boolean has(String handlers, String resolvers, String unable, String callable,
      String resolver) {
    return sql.isTrue("select tasker.has_handler(?::text[], ?::text[], ?::text[], ?, ?, ?)",
        handlers, resolvers, unable, callable, resolver,
        (resolver == null ? "" : "resolver:" + resolver + ":") + callable);
  }

  @Test
  void stale_claims_are_left_out() {
    Dag template = Dag.of("a");
    twoServers(template);
    Dag.Task task = template.started();
    Claim claim = withHandler.claimOne();

    decline(withHandler, 0, claim.asHandoff(7));

    assertThatStep(task.step("a")).isIn("in_progress").hasAttempts(1);
    assertThat(
        sql.text("select unable from tasker.workers where worker_uuid = ?", withHandler.uuid()))
        .isEqualTo("{}");
  }
}
