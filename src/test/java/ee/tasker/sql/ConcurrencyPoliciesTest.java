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
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"calculate_slot_key", "promote_waiters", "promote_policy", "release_slots",
  "refuse_steps", "admit_steps",
  "release_step_slots", "release_task_slots", "start_admitted_steps", "register_policies",
  "set_concurrency_limit", "list_concurrency_policies"})
class ConcurrencyPoliciesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<Dag.Task> submit(Dag dag, int count) {
    List<Dag.Task> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(dag.started());
    }
    worker.advance();
    return tasks;
  }

  private UUID policy() {
    return sql.uuid(
        "select p.policy_uuid from tasker.concurrency_policies p where exists (select from tasker.concurrency_slots s where s.policy_uuid = p.policy_uuid)");
  }

  private long held() {
    return sql
        .number("select count(*) from tasker.concurrency_slots where admitted_at is not null");
  }

  private long waiting() {
    return sql.number("select count(*) from tasker.concurrency_slots where admitted_at is null");
  }

  private void cancel(Dag.Task task) {
    sql.text("select tasker.request_cancel(?, 'me', 'why not')", task.uuid());
  }

  /** The tasks of what can be claimed now, oldest first. */
  private List<UUID> claimable() {
    worker.advance();
    return worker.claim(100).stream().map(Claim::task).toList();
  }

  @Test
  void no_more_steps_than_the_limit_are_under_way_and_the_next_follows_in_line() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 2}"), 5);
    List<Claim> first = worker.claim(10);
    assertThat(first).extracting(Claim::task).containsExactlyInAnyOrder(tasks.get(0).uuid(),
        tasks.get(1).uuid());
    assertThat(held()).isEqualTo(2);
    assertThat(waiting()).isEqualTo(3);

    worker.complete(first.get(0).success());
    assertThat(held()).as("the slot is passed on in the transaction that frees it").isEqualTo(2);
    assertThat(claimable()).containsExactly(tasks.get(2).uuid());
    worker.complete(first.get(1).success());
    assertThat(claimable()).containsExactly(tasks.get(3).uuid());
  }

  /** Each gets the only slot when the one before has ended. */
  private void assertThatNextIs(Claim done, Dag.Task... order) {
    for (Dag.Task task : order) {
      worker.complete(done.success());
      worker.advance();
      done = worker.claimOne();
      assertThat(done.task()).isEqualTo(task.uuid());
    }
    worker.complete(done.success());
  }

  @Test
  void the_next_in_line_is_the_one_of_the_highest_priority_and_of_these_the_oldest() {
    for (String policy : List.of("{\"limit\": 1}", "{\"limit\": 1, \"counts\": \"steps\"}")) {
      Dag dag = Dag.of("a").policy(policy).version(policy.contains("counts") ? "2.0.0" : "1.0.0");
      dag.started();
      worker.advance();
      Claim first = worker.claimOne();
      Dag.Task low = dag.priority(-10).started();
      Dag.Task older = dag.priority(0).started();
      Dag.Task younger = dag.started();
      Dag.Task urgent = dag.priority(50).started();
      worker.advance();
      assertThat(waiting()).isEqualTo(4);
      String place = "select (details ->> 'place')::int from tasker.explain_waiting(?) where step_name = 'a'";
      assertThat(List.of(sql.number(place, urgent.uuid()), sql.number(place, older.uuid()),
          sql.number(place, low.uuid())))
          .as("what an operator is told").containsExactly(1L, 2L, 4L);
      assertThat(sql.text(
          "select jsonb_path_query_array(tasker.list_concurrency_policies('{}', 10), '$[*].waiters[*].task_uuid')"))
          .as("and the list of waiters")
          .startsWith("[\"" + urgent.uuid() + "\", \"" + older.uuid() + "\"")
          .endsWith("\"" + low.uuid() + "\"]");

      assertThatNextIs(first, urgent, older, younger, low);
    }
  }

  @Test
  void an_earlier_attempt_and_a_breached_sla_bring_a_waiter_forward_as_they_do_an_offer() {
    Dag dag = Dag.of("a").maxAttempts(3).backoff("none", 1, 1).stepPolicy("{\"limit\": 1}")
        .slaMinutes(1);
    Dag.Task retried = dag.started();
    worker.advance();
    Claim failing = worker.claimOne();
    Dag.Task ahead = dag.started();
    Dag.Task late = dag.started();
    worker.advance();
    worker.complete(failing.retryableFailure(0));
    worker.advance();
    Claim holding = worker.claimOne();
    assertThat(holding.task()).isEqualTo(ahead.uuid());
    worker.advance();
    assertThat(sql.texts(
        "select s.claim_rank - t.claim_order from tasker.concurrency_slots s join tasker.tasks t using (task_uuid) "
            + "where s.admitted_at is null order by s.claim_rank, s.waiting_position"))
        .as("a minute for the attempt")
        .containsExactly("-60000", "0");

    assertThat(sql.number("select tasker.escalate_sla_breaches(array[?], ?)", late.uuid(),
        Instant.now().plusSeconds(120))).isOne();
    assertThat(sql.isTrue("select is_due from tasker.concurrency_slots where holder_uuid = ?",
        late.step("a")))
        .as("a release may have passed it over, because its row was locked").isTrue();
    worker.advance();
    assertThat(sql.number("select count(*) from tasker.concurrency_slots where is_due")).isZero();
    assertThatNextIs(holding, late, retried);
  }

  @Test
  void a_waiter_that_was_being_escalated_when_the_slot_became_free_gets_it() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1}").slaMinutes(1);
    dag.started();
    worker.advance();
    Claim holding = worker.claimOne();
    Dag.Task late = dag.started();
    worker.advance();
    try (Sql escalating = Sql.session()) {
      escalating.number("select tasker.escalate_sla_breaches(array[?], ?)", late.uuid(),
          Instant.now().plusSeconds(120));
      worker.complete(holding.success());
      assertThat(held()).as("the release passes over a row that is locked").isZero();
      escalating.commit();
    }
    worker.advance();
    assertThat(worker.claimOne().task()).isEqualTo(late.uuid());
  }

  @Test
  void a_waiting_step_is_pending_has_no_attempt_and_no_message() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 2);
    assertThatStep(tasks.get(1).step("a")).isIn("pending").hasAttempts(0);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(1);
  }

  @Test
  void a_slot_of_a_task_is_held_from_its_first_handoff_to_its_rest() {
    List<Dag.Task> tasks = submit(Dag.linear(2).maxAttempts(1).policy("{\"limit\": 1}"), 3);
    worker.complete(worker.claimOne().success());
    assertThat(held()).isEqualTo(1);
    worker.complete(worker.claimOne().permanentFailure());
    assertThatTask(tasks.get(0)).isIn("blocked_by_failures");
    assertThat(claimable()).as("a blocked task blocks no waiter")
        .containsExactly(tasks.get(1).uuid());
  }

  @Test
  void every_value_under_the_pointer_has_slots_of_its_own() {
    Dag dag = Dag.of("a").policy("{\"limit\": 1, \"key\": \"/customer/id\"}");
    List<Dag.Task> tasks = new ArrayList<>();
    for (String context : List.of("{\"customer\": {\"id\": 1}}", "{\"customer\": {\"id\": 1}}",
        "{\"customer\": {\"id\": \"1\"}}",
        "{\"customer\": {}}", "{}", "{\"customer\": {\"id\": {\"b\": 1, \"a\": 2}}}",
        "{\"customer\": {\"id\": {\"a\": 2, \"b\": 1}}}")) {
      tasks.add(dag.context(context).started());
    }
    assertThat(claimable()).containsExactlyInAnyOrder(tasks.get(0).uuid(), tasks.get(2).uuid(),
        tasks.get(3).uuid(), tasks.get(5).uuid());
    assertThat(
        sql.text("select tasker.calculate_slot_key('{\"a/b\": {\"~\": [7, 8]}}', '/a~1b/~0/1')"))
        .isEqualTo("8");
    assertThat(sql
        .text("select tasker.calculate_slot_key(jsonb_build_object('a', repeat('x', 9999)), '/a')"))
        .startsWith("sha256:")
        .hasSize(71);
  }

  @Test
  void a_template_policy_that_counts_steps_is_shared_by_all_its_steps() {
    submit(Dag.parallel(5).policy("{\"limit\": 2, \"counts\": \"steps\"}"), 2);
    int done = 0;
    for (List<Claim> claims = worker.claim(100); !claims.isEmpty(); claims = worker.claim(100)) {
      assertThat(claims).hasSizeLessThanOrEqualTo(2);
      worker.complete(0, claims.stream().map(Claim::success).toList());
      done += claims.size();
      worker.advance();
    }
    assertThat(done).isEqualTo(10);
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(2);
  }

  @Test
  void a_step_under_several_policies_starts_with_a_slot_of_each() {
    Dag dag = Dag.of("a").policy("{\"limit\": 2}").stepPolicy("{\"limit\": 1, \"key\": \"/k\"}");
    Dag.Task one = dag.context("{\"k\": 1}").started();
    Dag.Task same = dag.context("{\"k\": 1}").started();
    Dag.Task other = dag.context("{\"k\": 2}").started();
    worker.advance();
    List<Claim> claims = worker.claim(10);
    assertThat(claims).extracting(Claim::task).containsExactly(one.uuid());
    assertThatStep(same.step("a")).isIn("pending");
    worker.complete(claims.get(0).success());
    assertThat(claimable()).containsExactlyInAnyOrder(same.uuid(), other.uuid());
  }

  @Test
  void a_cancelled_waiter_gives_way_and_the_others_keep_their_places() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 4);
    Claim running = worker.claimOne();
    cancel(tasks.get(1));
    assertThatStep(tasks.get(1).step("a")).isIn("cancelled").hasAttempts(0);
    assertThat(sql.number("select count(*) from tasker.concurrency_slots where task_uuid = ?",
        tasks.get(1).uuid())).isZero();
    assertThat(held()).isEqualTo(1);
    worker.complete(running.success());
    assertThat(claimable()).containsExactly(tasks.get(2).uuid());
  }

  @Test
  void a_waiter_that_is_cancelled_after_it_was_given_a_slot_passes_it_on_at_once() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 3);
    worker.complete(worker.claimOne().success());
    assertThat(
        sql.uuid("select task_uuid from tasker.concurrency_slots where admitted_at is not null"))
        .isEqualTo(tasks.get(1).uuid());
    cancel(tasks.get(1));
    assertThat(
        sql.uuid("select task_uuid from tasker.concurrency_slots where admitted_at is not null"))
        .isEqualTo(tasks.get(2).uuid());
    assertThat(claimable()).containsExactly(tasks.get(2).uuid());
  }

  @Test
  void every_way_out_of_a_running_step_frees_its_slot_once() {
    Dag dag = Dag.of("a").maxAttempts(2).backoff("none", 1, 1).stepPolicy("{\"limit\": 1}");
    List<Dag.Task> tasks = submit(dag, 8);
    Claim claim = worker.claimOne();
    assertThat(claim.task()).isEqualTo(tasks.get(0).uuid());

    worker.complete(claim.retryableFailure(3_600_000));
    assertThat(claimableOne().task()).as("it waits for its retry without a slot")
        .isEqualTo(tasks.get(1).uuid());
    worker.complete(
        new Claim(tasks.get(1).step("a"), tasks.get(1).uuid(), 1, null).permanentFailure());
    claim = claimableOne();
    assertThat(claim.task()).as("it failed permanently").isEqualTo(tasks.get(2).uuid());

    cancel(tasks.get(2));
    worker.complete(claim.cancelled());
    claim = claimableOne();
    assertThat(claim.task()).as("it was cancelled while running").isEqualTo(tasks.get(3).uuid());

    worker.submitResults(claim.success());
    claim = claimableOne();
    assertThat(claim.task()).as("it was submitted").isEqualTo(tasks.get(4).uuid());

    sql.text("select tasker.release_steps(?::jsonb, ?)",
        "[{\"step_uuid\": \"" + claim.step() + "\", \"task_uuid\": \"" + claim.task()
            + "\", \"handoff\": 1}]",
        worker.uuid());
    claim = claimableOne();
    assertThat(claim.task()).as(
        "it was given back by a server on its way out, and the slot has gone on when it asks again")
        .isEqualTo(tasks.get(5).uuid());

    sql.run(
        "update tasker.workflow_steps set lease_expires_at = now() - interval '1 second' where workflow_step_uuid = ?",
        claim.step());
    sql.run("update tasker.task_wakeups set wake_at = now() where task_uuid = ?", claim.task());
    worker.advance();
    assertThat(claimableOne().task())
        .as("its lease ran out, and the one that was given back is the oldest")
        .isEqualTo(tasks.get(4).uuid());

    cancel(tasks.get(7));
    assertThat(held()).isEqualTo(1);
  }

  private Claim claimableOne() {
    worker.advance();
    return worker.claimOne();
  }

  @Test
  void an_offer_that_is_revoked_frees_its_slot() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 2);
    cancel(tasks.get(0));
    assertThat(claimable()).containsExactly(tasks.get(1).uuid());
  }

  @Test
  void a_result_that_comes_five_times_frees_one_slot() {
    submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 4);
    Claim claim = worker.claimOne();
    for (int i = 0; i < 5; i++) {
      worker.complete(claim.success(), claim.success());
    }
    assertThat(held()).isEqualTo(1);
    assertThat(claimable()).hasSize(1);
  }

  @Test
  void a_retry_stands_in_line_again_when_it_is_due() {
    List<Dag.Task> tasks = submit(Dag.of("a").maxAttempts(3).stepPolicy("{\"limit\": 1}"), 2);
    worker.complete(worker.claimOne().retryableFailure(1_000));
    Claim second = claimableOne();
    worker.at(Instant.now().plusSeconds(2)).advance();
    assertThatStep(tasks.get(0).step("a")).isIn("waiting_for_retry");
    assertThat(waiting()).isEqualTo(1);
    worker.complete(second.success());
    assertThat(claimableOne().task()).isEqualTo(tasks.get(0).uuid());
  }

  @Test
  void a_step_whose_parents_end_while_the_policy_is_full_is_found_when_a_slot_is_free() {
    List<Dag.Task> tasks = submit(Dag.diamond().stepPolicy("{\"limit\": 1}"), 2);
    for (int round = 0; round < 20; round++) {
      worker.complete(0, worker.claim(100).stream().map(Claim::success).toList());
      worker.advance();
    }
    tasks.forEach(task -> assertThatTask(task).isIn("complete"));
  }

  @Test
  void fail_fast_ends_a_step_with_the_reason_and_a_retry_waits_all_the_same() {
    Dag dag = Dag.of("a").maxAttempts(3).stepPolicy("{\"limit\": 1, \"when_full\": \"fail_fast\"}");
    List<Dag.Task> tasks = submit(dag, 2);
    assertThatStep(tasks.get(1).step("a")).isIn("error").hasAttempts(0);
    assertThatTask(tasks.get(1)).isIn("blocked_by_failures");
    assertThat(
        sql.text(
            "select error ->> 'message' from tasker.workflow_step_result_audit where workflow_step_uuid = ?",
            tasks.get(1).step("a")))
        .isEqualTo("1 of 1 steps are under way");
    worker.complete(worker.claimOne().retryableFailure(0));
    Dag.Task next = submit(dag, 1).get(0);
    worker.at(Instant.now().plusSeconds(1)).advance();
    assertThat(List.of(
        sql.text("select state from tasker.workflow_steps where workflow_step_uuid = ?",
            tasks.get(0).step("a")),
        sql.text("select state from tasker.workflow_steps where workflow_step_uuid = ?",
            next.step("a"))))
        .containsAnyOf("waiting_for_retry", "enqueued").doesNotContain("pending");
  }

  @Test
  void fail_fast_cancels_a_task_that_has_not_started() {
    List<Dag.Task> tasks = submit(
        Dag.linear(2).policy("{\"limit\": 1, \"when_full\": \"fail_fast\", \"key\": \"/k\"}")
            .context("{\"k\": \"x\"}"),
        2);
    assertThatTask(tasks.get(1)).isIn("cancelled").hasNoWakeUp();
    assertThat(
        sql.text("select cancel_reason from tasker.tasks where task_uuid = ?", tasks.get(1).uuid()))
        .isEqualTo("1 of 1 tasks with the same /k are under way");
    assertThat(worker.runToTheEnd()).hasSize(2);
  }

  /** One whose first handoff a full policy refused could not be tried again while it is full. */
  @Test
  void a_compensation_waits_where_another_step_would_fail_fast() {
    Dag.Task task = Dag.of("a").compensatedBy("undo", 2).step("b").dependsOn("a").maxAttempts(1)
        .lifecycle("on_failure", "compensate")
        .policy("{\"limit\": 1, \"counts\": \"steps\", \"when_full\": \"fail_fast\"}").started();
    worker.advance();
    worker.complete(worker.claimOne().success());
    worker.advance();
    Claim failing = worker.claimOne();
    UUID policy = policy();
    sql.text("select tasker.set_concurrency_limit(?, 0)", policy);
    worker.complete(failing.permanentFailure());
    assertThat(claimable()).isEmpty();
    assertThatTask(task).isIn("waiting_for_dependencies");

    sql.text("select tasker.set_concurrency_limit(?, 1)", policy);
    worker.advance();
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("error");
    assertThat(sql.text("select state from tasker.task_compensations")).isEqualTo("compensated");
  }

  /** A transaction keeps the gates of the keys, and a server has room for some thousand locks. */
  @Test
  void a_limit_is_raised_for_any_number_of_keys_with_a_bounded_number_of_locks() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1, \"key\": \"/k\"}");
    submit(dag.context("{\"k\": \"first\"}"), 1);
    UUID policy = policy();
    sql.text("select tasker.set_concurrency_limit(?, 0)", policy);
    int keys = 1_020;
    for (int key = 0; key < keys; key++) {
      dag.context("{\"k\": " + key + "}").started();
    }
    worker.advance();
    worker.advance();
    assertThat(waiting()).isEqualTo(keys);
    sql.run("analyze");

    sql.text("select tasker.set_concurrency_limit(?, 1)", policy);
    assertThat(held()).as("the first one, and a gate of each other is locked").isEqualTo(1_001);
    assertThat(waiting()).isEqualTo(20);
    worker.advance();
    assertThat(waiting()).isZero();
    assertThat(sql.number("select count(*) from tasker.concurrency_releases")).isZero();
  }

  @Test
  void a_limit_can_be_changed_at_run_time_and_given_back_to_the_template() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 6);
    UUID policy = policy();
    JsonObject shown = sql.object("select tasker.set_concurrency_limit(?, 3, 'ann')", policy);
    assertThat(shown.getInt("limit")).isEqualTo(3);
    assertThat(shown.getInt("template_limit")).isEqualTo(1);
    worker.advance();
    List<Claim> three = worker.claim(10);
    assertThat(three).hasSize(3);

    sql.text("select tasker.set_concurrency_limit(?, 0)", policy);
    worker.complete(0, three.stream().map(Claim::success).toList());
    assertThat(claimable()).as("0 lets nothing start").isEmpty();
    sql.text("select tasker.set_concurrency_limit(?, null)", policy);
    assertThat(claimable()).containsExactly(tasks.get(3).uuid());
    assertThatThrownBy(() -> sql.text("select tasker.set_concurrency_limit(?, -1)", policy))
        .isInstanceOf(Sql.SqlProblem.class)
        .extracting(p -> ((Sql.SqlProblem) p).state()).isEqualTo("TK007");
  }

  @Test
  void a_lower_limit_takes_nothing_away_and_admits_no_one_until_it_is_kept() {
    submit(Dag.of("a").stepPolicy("{\"limit\": 3}"), 5);
    List<Claim> three = worker.claim(10);
    sql.text("select tasker.set_concurrency_limit(?, 1)", policy());
    worker.complete(three.get(0).success());
    worker.complete(three.get(1).success());
    assertThat(claimable()).isEmpty();
    worker.complete(three.get(2).success());
    assertThat(claimable()).hasSize(1);
  }

  @Test
  void versions_of_a_template_share_its_policies_and_the_latest_says_the_limit() {
    String template = """
        {"namespace_name": "orders", "name": "shared", "version": "%s", "identity_strategy": "always_unique", "content_hash": "%s",
         "steps": [{"name": "a", "handler": {"callable": "h"}}], "concurrency": [{"limit": %s}]}""";
    sql.text("select tasker.register_template(?::jsonb)", template.formatted("1.0.0", "x", 1));
    String one = "[{\"namespace\": \"orders\", \"name\": \"shared\", \"version\": \"1.0.0\", \"context\": {}}]";
    for (int i = 0; i < 3; i++) {
      sql.text("select tasker.submit_tasks(?::jsonb)", i < 2 ? one : one);
    }
    assertThat(claimable()).hasSize(1);
    sql.text("select tasker.register_template(?::jsonb)", template.formatted("1.1.0", "y", 2));
    assertThat(sql
        .number("select count(*) from tasker.concurrency_policies where template_name = 'shared'"))
        .isEqualTo(1);
    assertThat(claimable()).as("the new version lets one more in").hasSize(1);
    sql.text("select tasker.submit_tasks(?::jsonb)", one.replace("1.0.0", "1.1.0"));
    assertThat(claimable()).isEmpty();
    assertThatThrownBy(() -> sql.text("select tasker.register_template(?::jsonb)",
        template.formatted("2.0.0", "z", 0)))
        .isInstanceOf(Sql.SqlProblem.class).hasMessageContaining("not a concurrency policy");
  }

  @Test
  void policies_are_listed_with_holders_and_waiters_in_line() {
    List<Dag.Task> tasks = submit(
        Dag.of("a").stepPolicy("{\"limit\": 1, \"key\": \"/k\"}").context("{\"k\": 7}"), 3);
    JsonObject shown = sql
        .array(
            "select tasker.list_concurrency_policies(jsonb_build_object('policy_uuid', ?::text), 10)",
            policy().toString())
        .getJsonObject(0);
    assertThat(shown.getInt("holding")).isEqualTo(1);
    assertThat(shown.getInt("waiting")).isEqualTo(2);
    assertThat(shown.getJsonArray("holders").getJsonObject(0).getString("task_uuid"))
        .isEqualTo(tasks.get(0).uuid().toString());
    assertThat(shown.getJsonArray("holders").getJsonObject(0).getInt("handoff")).isEqualTo(1);
    assertThat(shown.getJsonArray("waiters").getJsonObject(1).getString("task_uuid"))
        .isEqualTo(tasks.get(2).uuid().toString());
    assertThat(shown.getJsonArray("waiters").getJsonObject(1).getInt("position")).isEqualTo(2);
    assertThat(shown.getJsonArray("waiters").getJsonObject(1).getString("key")).isEqualTo("7");
    assertThat(sql.array("select tasker.list_concurrency_policies('{\"namespace\": \"nowhere\"}')"))
        .isEmpty();
  }

  @Test
  void a_step_that_is_moved_by_hand_needs_a_slot_too() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 2);
    assertThat(
        sql.isTrue(
            "select tasker.transition_step_state_atomic(?, 0, 'pending', 'enqueued', 'orchestrator', null)",
            tasks.get(1).step("a")))
        .isFalse();
    worker.complete(worker.claimOne().success());
    assertThat(
        sql.isTrue(
            "select tasker.transition_step_state_atomic(?, 0, 'pending', 'enqueued', 'orchestrator', null)",
            tasks.get(1).step("a")))
        .isTrue();
    assertThat(worker.claim(5)).hasSize(1);
  }

  @Test
  void a_round_with_available_permits_runs_what_it_admits_at_once() {
    List<Dag.Task> tasks = submit(Dag.of("a").stepPolicy("{\"limit\": 1}"), 2);
    worker.complete(worker.claimOne().success());
    JsonObject round = sql.object("select tasker.advance_due_tasks(?, 100, 5)", worker.uuid());
    assertThat(SqlWorker.claims(round.getJsonArray("claimed_steps"))).extracting(Claim::task)
        .containsExactly(tasks.get(1).uuid());
    assertThat(round.getInt("tasks")).isEqualTo(1);
  }

  @Test
  void templates_without_a_policy_never_see_a_slot() {
    Dag.fanOut(20).started(5);
    worker.runToTheEnd();
    assertThat(sql.number("select count(*) from tasker.concurrency_slots")).isZero();
    assertThat(sql.number(
        "select nextval(pg_get_serial_sequence('tasker.concurrency_releases', 'release_id'))"))
        .isPositive();
  }
}
