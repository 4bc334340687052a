package ee.tasker.sql;

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
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"claim_offered_steps", "claim_queued_steps", "take_messages", "order_queues",
  "get_claimed_steps", "calculate_lease_end",
  "calculate_claim_order", "worker_queue", "send_handoffs", "get_claim_cursor", "set_claim_cursor",
  "get_queue_statement", "prepare_queue_statement", "get_first_claim_order",
  "prepares_queue_statements"})
class ClaimStepsTest {
  private static final String WAKEUPS_READ = "select idx_tup_fetch + seq_tup_read from pg_stat_xact_user_tables where relid = 'tasker.task_wakeups'::regclass";

  @Test
  void a_claim_leases_the_step_to_the_server_for_a_minute() {
    Dag.Task task = Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open()) {
      Claim claim = worker.claimOne();

      assertThat(claim.step()).isEqualTo(task.step("a"));
      assertThat(claim.attempt()).isEqualTo(1);
      assertThatStep(claim.step()).isClaimedBy(worker).untilAbout(Instant.now().plusSeconds(60))
          .hasAttempts(1)
          .went("pending", "enqueued", "in_progress");
    }
  }

  @Test
  void a_lease_without_a_length_lasts_a_minute_all_the_same() {
    Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open(); Sql sql = Sql.open()) {
      sql.text("select tasker.claim_steps(?, 1, p_lease_seconds => null)::text", worker.uuid());
      assertThat(sql.texts(
          "select lease_expires_at - last_attempted_at from tasker.workflow_steps"))
          .containsExactly("00:01:00");
    }
  }

  @Test
  void nothing_is_claimed_from_empty_queues_and_from_namespaces_that_are_not_there() {
    try (SqlWorker worker = SqlWorker.open()) {
      assertThat(worker.claim(10)).isEmpty();
      assertThat(worker.forNamespaces("nobody_has_this").claim(10)).isEmpty();
    }
  }

  @Test
  void a_worker_gets_steps_of_its_namespaces_only() {
    Dag.of("a").inNamespace("orders").started();
    Dag.Task billing = Dag.of("a").inNamespace("billing").started();
    try (SqlWorker worker = SqlWorker.open()) {
      assertThat(worker.forNamespaces("billing").claim(10)).extracting(Claim::task)
          .containsExactly(billing.uuid());
    }
  }

  @Test
  void an_assignment_has_the_context_and_the_results_of_the_parents_by_name() {
    Dag.of("a").step("b").step("c").dependsOn("a", "b").context("{\"n\": 5}").started();
    try (SqlWorker worker = SqlWorker.open()) {
      for (Claim claim : worker.claim(2)) {
        worker.complete(claim.success("{\"of\": \"" + claim.step() + "\"}"));
      }
      JsonObject claimedStep = worker.claimOne().claimedStep();

      assertThat(claimedStep.getJsonObject("context").getInt("n")).isEqualTo(5);
      assertThat(claimedStep.getJsonObject("results").keySet()).containsExactlyInAnyOrder("a", "b");
    }
  }

  @Test
  void the_older_task_is_claimed_first_and_a_point_of_priority_outweighs_a_minute() {
    Instant start = Instant.now().minusSeconds(3600);
    Dag dag = Dag.of("a");
    UUID old = at(dag, start, 0);
    UUID young = at(dag, start.plusSeconds(30), 0);
    UUID urgent = at(dag, start.plusSeconds(100), 2);
    UUID notQuite = at(dag, start.plusSeconds(170), 2);
    try (SqlWorker worker = SqlWorker.open()) {
      assertThat(List.of(worker.claimOne().task(), worker.claimOne().task(),
          worker.claimOne().task(), worker.claimOne().task()))
          .containsExactly(urgent, old, young, notQuite);
    }
  }

  @Test
  void a_task_of_low_priority_that_waited_long_comes_before_a_fresh_one_of_high_priority() {
    Dag dag = Dag.of("a");
    UUID aged = at(dag, Instant.now().minus(Duration.ofMinutes(101)), -50);
    UUID fresh = at(dag, Instant.now(), 50);
    try (SqlWorker worker = SqlWorker.open()) {
      assertThat(worker.claimOne().task()).isEqualTo(aged);
      assertThat(worker.claimOne().task()).isEqualTo(fresh);
    }
  }

  private static UUID at(Dag dag, Instant time, int priority) {
    Dag.Template template = dag.priority(priority).registered();
    try (Sql sql = Sql.open()) {
      return UUID.fromString(sql
          .object("select tasker.submit_tasks(jsonb_build_array(?::jsonb), p_now => ?)",
              dag.request(template), time)
          .getJsonArray("verdicts").getJsonObject(0).getString("task_uuid"));
    }
  }

  @Test
  void namespaces_that_have_work_share_the_limit_and_a_flood_in_one_leaves_room_for_the_other() {
    Dag.parallel(50).inNamespace("flood").started();
    Dag.parallel(3).inNamespace("trickle").started();
    try (SqlWorker worker = SqlWorker.open()) {
      List<Claim> claims = worker.claim(10);

      assertThat(claims).hasSize(10);
      try (Sql sql = Sql.open()) {
        assertThat(sql.number(
            "select count(*) from tasker.workflow_steps s join tasker.tasks t using (task_uuid) "
                + "join tasker.named_tasks nt using (named_task_uuid) join tasker.task_namespaces ns using (task_namespace_uuid) "
                + "where s.state = 'in_progress' and ns.name = 'trickle'"))
            .isEqualTo(3);
      }
    }
  }

  @Test
  void two_sessions_claim_disjoint_steps_and_do_not_wait_for_each_other() {
    Dag.parallel(10).started();
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      List<Claim> one = SqlWorker.in(first).claim(4);
      List<Claim> two = SqlWorker.in(second).claim(10);
      first.commit();
      second.commit();

      assertThat(one).hasSize(4);
      assertThat(two).hasSize(6).extracting(Claim::step)
          .doesNotContainAnyElementsOf(one.stream().map(Claim::step).toList());
    }
  }

  @Test
  void a_claim_that_is_rolled_back_leaves_the_offer_where_it_was() {
    Dag.Task task = Dag.of("a").started();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).claimOne();
      session.rollback();
    }
    assertThatStep(task.step("a")).isIn("enqueued");
    try (SqlWorker worker = SqlWorker.open()) {
      assertThat(worker.claimOne().attempt()).isEqualTo(1);
    }
  }

  @Test
  void a_message_of_an_earlier_handoff_is_thrown_away() {
    Dag.Task task = Dag.of("a").started();
    try (Sql sql = Sql.open(); SqlWorker worker = SqlWorker.open()) {
      String old = sql.text("select message from pgmq.q_worker_orders_queue");
      worker.complete(worker.claimOne().retryableFailure(0));
      worker.at(Instant.now().plusSeconds(1)).advance();
      sql.run("delete from pgmq.q_worker_orders_queue");
      sql.text("select pgmq.send('worker_orders_queue', ?::jsonb, '{\"claim_order\": 1}'::jsonb)",
          old);

      assertThat(worker.at(null).claim(10)).isEmpty();
      assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isZero();
      assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2);
    }
  }

  @Test
  void of_two_messages_for_one_offer_one_is_claimed() {
    Dag.of("a").started();
    try (Sql sql = Sql.open(); Sql first = Sql.session(); Sql second = Sql.session()) {
      sql.text(
          "select pgmq.send('worker_orders_queue', message, headers) from pgmq.q_worker_orders_queue");
      List<Claim> one = SqlWorker.in(first).claim(1);
      Sql.Later<List<Claim>> two = second.later(session -> SqlWorker.in(session).claim(1))
          .untilItWaits();
      first.commit();

      assertThat(one).hasSize(1);
      assertThat(two.get()).isEmpty();
      second.commit();
    }
  }

  @Test
  void a_claim_that_comes_before_the_cancel_keeps_its_step_and_one_that_comes_after_gets_nothing() {
    Dag.Task task = Dag.parallel(2).started();
    try (Sql claim = Sql.session(); Sql cancel = Sql.session(); SqlWorker late = SqlWorker.open()) {
      Claim claimed = SqlWorker.in(claim).claimOne();
      Sql.Later<String> request = cancel
          .later(session -> session
              .text("select tasker.request_cancel(?, 'me', 'no longer needed')", task.uuid()))
          .untilItWaits();
      claim.commit();
      request.get();
      cancel.commit();

      assertThatStep(claimed.step()).isIn("in_progress");
      assertThat(late.claim(10)).isEmpty();
      assertThatTask(task).isIn("steps_in_process").counts(2, 1, 0, 0);
    }
  }

  @Test
  void a_cancel_that_commits_before_the_claim_revokes_the_offer_that_the_claimer_reads() {
    Dag.Task task = Dag.of("a").started();
    try (Sql cancel = Sql.session(); Sql claim = Sql.session()) {
      // The two halves of a claim, so that the cancel comes between them; it leaves the message to
      // the claimer.
      String offers = claim.text(
          "select row(o_step_uuids, o_handoffs)::text from tasker.take_messages('orders', 1)");
      assertThat(offers).contains(task.step("a").toString());
      cancel.text("select tasker.request_cancel(?, 'me', 'no longer needed')", task.uuid());
      Sql.Later<String> late = claim.later(session -> session.text(
          "select tasker.claim_offered_steps(array[?]::uuid[], array[1], ?, 60)::text",
          task.step("a"), UUID.randomUUID())).untilItWaits();
      cancel.commit();

      assertThat(late.get()).isEqualTo("{}");
      claim.commit();
      assertThatTask(task).isIn("cancelled").hasNoWakeUp();
    }
  }

  @Test
  void claimers_of_the_same_tasks_do_not_wait_for_each_others_wake_ups() {
    Dag.Task task = Dag.parallel(2).started();
    try (Sql sql = Sql.open(); Sql first = Sql.session(); Sql second = Sql.session()) {
      sql.run("update tasker.task_wakeups set wake_at = now() + interval '10 minutes'");
      SqlWorker.in(first).claimOne();
      SqlWorker.in(second).claimOne();
      second.commit();
      first.commit();
    }
    assertThatTask(task).isLookedAtAbout(Instant.now().plusSeconds(60));
  }

  /**
   * The plan of a statement is kept, and that of a join with few wake-ups would read all of them
   * for each step once there are many.
   */
  @Test
  void a_claim_that_was_planned_when_there_were_no_wake_ups_looks_its_own_up() {
    Dag.of("a").started();
    try (SqlWorker worker = SqlWorker.open(); Sql session = Sql.session()) {
      worker.complete(worker.claimOne().success("{}"));
      session.run("analyze tasker.task_wakeups");
      session.commit();
      Dag.of("a").started(100);
      session.run("select tasker.claim_steps(gen_random_uuid(), 50)");
      session.commit();
      Dag.of("a").started(1000);

      long before = session.number(WAKEUPS_READ);
      assertThat(session.array("select tasker.claim_steps(gen_random_uuid(), 50)")).hasSize(50);
      assertThat(session.number(WAKEUPS_READ) - before).isLessThan(200);
      session.rollback();
    }
  }

  @Test
  void what_comes_in_before_the_last_message_that_was_taken_is_claimed_when_there_is_room() {
    Dag.of("a").started(3);
    try (SqlWorker worker = SqlWorker.open()) {
      worker.claim(1);
      Dag.Task urgent = Dag.of("a").priority(50).started();
      assertThat(worker.claim(10)).hasSize(3).extracting(Claim::task).contains(urgent.uuid());
    }
  }

  @Test
  void and_within_a_quarter_of_a_second_when_there_is_none() {
    Dag.of("a").started(1000);
    try (SqlWorker worker = SqlWorker.open()) {
      worker.claim(1);
      Dag.Task urgent = Dag.of("a").priority(50).started();
      Instant start = Instant.now();
      while (!worker.claimOne().task().equals(urgent.uuid())) {
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(5));
      }
    }
  }

  /**
   * An open snapshot keeps the rows of taken messages: a claim that began at the first of them
   * would read them all again.
   */
  @Test
  void a_claim_does_not_read_again_what_was_taken_before_it_although_a_snapshot_keeps_it() {
    for (int i = 0; i < 100; i++) {
      Dag.of("a").started(30);
    }
    try (Sql old = Sql.session(); Sql session = Sql.session()) {
      old.run("set transaction isolation level repeatable read");
      old.number("select count(*) from tasker.tasks");
      long before = messagesRead();
      session
          .run(
              "do $$ begin for i in 1..100 loop perform tasker.claim_steps('00000000-0000-0000-0000-000000000001', 30); end loop; end $$");
      session.run("select pg_stat_force_next_flush()");
      session.commit();
      assertThat(
          session.number("select count(*) from tasker.workflow_steps where state = 'in_progress'"))
          .isEqualTo(3000);
      // From the beginning each time it would be about 300 000.
      assertThat(messagesRead() - before).as("of 3000 messages, in 100 claims").isLessThan(100_000);
      old.rollback();
    }
  }

  private static final String PREPARED = "from pg_prepared_statements where name like 'tasker\\_%'";

  @Test
  void a_session_plans_its_look_into_a_queue_and_its_taking_once() {
    Dag.of("a").started(9);
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      session.run("deallocate all");
      for (int i = 0; i < 3; i++) {
        worker.claimOne();
        // From the beginning again, and not from where the last claim ended.
        session.text(
            "select set_config('tasker.floor_' || md5('q_worker_orders_queue'), '', false)");
        worker.claimOne();
        worker.claimOne();
      }
      assertThat(session.texts(
          "select regexp_replace(name, '_[0-9a-f]{32}$', '') " + PREPARED + " order by name"))
          .containsExactly("tasker_first", "tasker_take", "tasker_take_from");
      assertThat(session.texts(
          "select name " + PREPARED + " and (custom_plans > 0 or generic_plans < 3)")).isEmpty();
      session.rollback();
    }
  }

  @Test
  void a_session_plans_once_how_it_sends_a_few_messages_and_sends_many_without_it() {
    Dag graph = Dag.of("a");
    JsonArrayBuilder many = Json.createArrayBuilder();
    for (int i = 0; i < 11; i++) {
      many.add(graph.request(graph.registered()));
    }
    try (Sql session = Sql.session()) {
      session.run("deallocate all");
      session.object("select tasker.submit_tasks(?)", many.build());
      assertThat(session.number("select count(*) " + PREPARED)).isZero();
      for (int i = 0; i < 3; i++) {
        session.object("select tasker.submit_tasks(?)",
            Json.createArrayBuilder().add(graph.request(graph.registered())).build());
      }
      assertThat(session.texts("select regexp_replace(name, '_[0-9a-f]{32}$', '') || generic_plans "
          + PREPARED)).containsExactly("tasker_send3");
      assertThat(session
          .number("select count(*) from pgmq.q_worker_orders_queue where vt <= clock_timestamp() "
              + "and message ->> 'step_uuid' is not null and headers ->> 'claim_order' is not null"))
          .isEqualTo(14);
      session.rollback();
    }
  }

  /** Those that take are seven times as large as those that look, in each session. */
  @Test
  void a_session_keeps_no_large_plans_for_the_queues_of_many_namespaces() {
    Dag.of("a").started(2);
    try (Sql session = Sql.session(); SqlWorker worker = SqlWorker.in(session)) {
      session.run("deallocate all");
      session.run("insert into tasker.task_namespaces (name) "
          + "select 'other_' || n from generate_series(1, 32) n");
      worker.claimOne();
      session.object("select tasker.submit_tasks(?)", Json.createArrayBuilder()
          .add(Dag.of("a").request(Dag.of("a").registered())).build());
      assertThat(worker.claim(10)).hasSize(2);
      assertThat(session.texts("select regexp_replace(name, '_[0-9a-f]{32}$', '') " + PREPARED))
          .containsExactly("tasker_first");
      session.rollback();
    }
  }

  @Test
  void a_session_that_was_cleaned_up_in_between_claims_as_before() {
    Dag.of("a").started(4);
    try (Sql session = Sql.open(); SqlWorker worker = SqlWorker.in(session)) {
      worker.claimOne();
      worker.claimOne();
      assertThat(session.number("select count(*) " + PREPARED)).isGreaterThan(1);
      session.run("discard all");
      assertThat(session.number("select count(*) " + PREPARED)).isZero();
      assertThat(worker.claim(10)).hasSize(2);
    }
  }

  @Test
  void a_session_that_knows_a_queue_claims_from_the_one_that_takes_its_place() {
    Dag.of("a").started();
    try (Sql session = Sql.open(); SqlWorker worker = SqlWorker.in(session)) {
      worker.claimOne();
      session.text("select pgmq.drop_queue('worker_orders_queue')::text");
      assertThat(worker.claim(10)).isEmpty();
      session.text("select tasker.ensure_task_queue('worker_orders_queue')::text");
      Dag.Task task = Dag.of("a").started();
      assertThat(worker.claimOne().step()).isEqualTo(task.step("a"));
    }
  }

  @Test
  void a_session_that_meets_no_queue_says_which_table_is_not_there() {
    Dag graph = Dag.of("a");
    String missing = "relation \"pgmq.q_worker_orders_queue\" does not exist";
    for (String call : List.of("select tasker.get_first_claim_order('q_worker_orders_queue', 0)",
        "select tasker.submit_tasks('[" + graph.request(graph.registered()) + "]')")) {
      try (Sql session = Sql.session()) {
        session.run("deallocate all");
        session.text("select pgmq.drop_queue('worker_orders_queue')::text");
        assertThatThrownBy(() -> session.text(call)).as(call).hasMessageContaining(missing);
        session.rollback();
      }
    }
  }

  /** A session can prepare anything under any name; no function may run it as its owner. */
  @Test
  void what_a_session_prepared_is_not_run_with_the_rights_of_the_owner_of_a_function() {
    Dag graph = Dag.of("a");
    Dag.Task task = graph.started();
    try (Sql session = Sql.session()) {
      session.run("deallocate all");
      session.run("create role claims_as_owner");
      session.run("create function public.claim_as_owner() returns json language sql "
          + "security definer as 'select tasker.claim_steps(gen_random_uuid(), 1)'");
      session.run("create function public.submit_as_owner(jsonb) returns json language sql "
          + "security definer as 'select tasker.submit_tasks($1)'");
      session.run("create temporary table seized (by_role name)");
      session.run("grant all on seized to public");
      session.run("set session authorization claims_as_owner");
      String queue = session.text("select md5('q_worker_orders_queue')");
      String seize = " as with s as (insert into seized values (current_user) returning 1) select ";
      String nothing = "'{}'::uuid[], '{}'::int[], null::bigint from s";
      session.run("prepare tasker_first_" + queue + "(bigint)" + seize + "0::bigint from s");
      session.run("prepare tasker_take_" + queue + "(int)" + seize + nothing);
      session.run("prepare tasker_take_from_" + queue + "(int, bigint)" + seize + nothing);
      session.run("prepare tasker_send_" + queue + "(jsonb[], jsonb[])" + seize + "1 from s");

      session.object("select public.submit_as_owner(?)",
          Json.createArrayBuilder().add(graph.request(graph.registered())).build());
      assertThat(SqlWorker.claims(session.array("select public.claim_as_owner()")))
          .extracting(Claim::step).containsExactly(task.step("a"));
      assertThat(session.texts("select by_role from seized")).isEmpty();
      session.run("deallocate all");
      session.run("reset session authorization");
      session.rollback();
    }
  }

  @Test
  void a_message_without_a_claim_rank_is_taken_behind_the_others() {
    List<Dag.Task> tasks = Dag.of("a").started(2);
    try (SqlWorker worker = SqlWorker.open(); Sql sql = Sql.open()) {
      sql.run("update pgmq.q_worker_orders_queue set headers = headers - 'claim_order' "
          + "where message ->> 'step_uuid' = '" + tasks.get(0).step("a") + "'");
      assertThat(worker.claim(10)).extracting(Claim::task)
          .containsExactlyInAnyOrder(tasks.get(0).uuid(), tasks.get(1).uuid());
    }
  }

  private static long messagesRead() {
    try (Sql sql = Sql.open()) {
      return sql.number(
          "select sum(idx_tup_read)::bigint from pg_stat_user_indexes where indexrelname like '%claim_idx'");
    }
  }
}
