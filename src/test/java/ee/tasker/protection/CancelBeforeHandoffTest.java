package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is not handed off yet is the orchestrator's, and a cancel ends it there. */
@ProtectionTest
class CancelBeforeHandoffTest {
  private static final UUID SERVER = UUID.randomUUID();

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static String cancel(Sql session, Dag.Task task) {
    JsonObject answer = session.object("select tasker.request_cancel(?, 'me', 'no longer needed')",
        task.uuid());
    return answer.getString("outcome") + " " + answer.getString("state");
  }

  private long messages() {
    return sql.number("select count(*) from pgmq.q_worker_orders_queue");
  }

  @Test
  void C1_pending_step_is_cancelled_by_the_orchestrator_and_was_never_offered() {
    Dag.Task task = Dag.linear(2).started();
    sql.run("delete from pgmq.q_worker_orders_queue");

    assertThat(cancel(sql, task)).isEqualTo("requested cancelled");

    assertThatStep(task.step("s2")).isIn("cancelled").hasAttempts(0).went("pending", "cancelled");
    assertThat(sql.texts(
        "select actor || ' ' || attempt from tasker.workflow_step_transitions where workflow_step_uuid = ? and to_state = 'cancelled'",
        task.step("s2"))).containsExactly("orchestrator 0");
    worker.advance();
    assertThat(messages()).isZero();
    assertThat(worker.claim(10)).isEmpty();
    assertThatTask(task).isIn("cancelled").hasNoWakeUp();
  }

  private long held() {
    return sql
        .number("select count(*) from tasker.concurrency_slots where admitted_at is not null");
  }

  /** Those who wait for a slot, in line. */
  private List<Dag.Task> waiting(List<Dag.Task> tasks) {
    return sql.texts(
        "select task_uuid from tasker.concurrency_slots where admitted_at is null order by claim_rank, waiting_position")
        .stream()
        .map(uuid -> tasks.stream().filter(task -> task.uuid().toString().equals(uuid)).findFirst()
            .orElseThrow())
        .toList();
  }

  @Test
  void C1_waiter_behind_a_full_limit_is_cancelled_and_the_one_after_it_keeps_its_place() {
    List<Dag.Task> tasks = Dag.of("a").stepPolicy("{\"limit\": 1}").started(3);
    worker.advance();
    assertThat(messages()).isEqualTo(1);
    Claim running = worker.claimOne();
    List<Dag.Task> waiting = waiting(tasks);
    String places = "select string_agg(concat_ws(' ', holder_uuid, waiting_position), ',' order by waiting_position) from tasker.concurrency_slots where task_uuid = ?";
    String place = sql.text(places, waiting.get(1).uuid());
    assertThat(place).isNotNull();

    assertThat(cancel(sql, waiting.get(0))).isEqualTo("requested cancelled");

    assertThatStep(waiting.get(0).step("a")).isIn("cancelled").hasAttempts(0).went("pending",
        "cancelled");
    assertThat(sql.text(
        "select actor from tasker.workflow_step_transitions where task_uuid = ? and to_state = 'cancelled'",
        waiting.get(0).uuid())).isEqualTo("orchestrator");
    assertThat(sql.text(places, waiting.get(0).uuid())).as("its place in the queue is gone")
        .isNull();
    assertThat(sql.text(places, waiting.get(1).uuid())).isEqualTo(place);
    assertThat(held()).isEqualTo(1);
    assertThat(messages()).isZero();
    worker.complete(running.success());
    worker.advance();
    assertThat(worker.claimOne().task()).isEqualTo(waiting.get(1).uuid());
  }

  @Test
  void C2_step_that_finds_a_limit_full_and_may_not_wait_ends_in_error_with_its_cause() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1, \"when_full\": \"fail_fast\"}");
    Dag.Task first = dag.started();
    worker.advance();
    Dag.Task second = dag.started();
    worker.advance();

    assertThatStep(first.step("a")).isIn("enqueued");
    assertThatStep(second.step("a")).isIn("error").hasAttempts(0).went("pending", "error");
    assertThat(sql.texts(
        "select concat_ws(' ', h.actor, r.error ->> 'type') from tasker.workflow_step_transitions h join tasker.workflow_step_result_audit r "
            + "using (workflow_step_uuid) where h.to_state = 'error'"))
        .containsExactly("orchestrator concurrency_limit");
    assertThat(messages()).isEqualTo(1);
    assertThat(held()).isEqualTo(1);
  }

  @Test
  void C2_step_that_no_live_server_can_run_ends_in_error_by_recovery_and_gives_its_slot_back() {
    Dag.Task task = Dag.of("a").maxAttempts(1).stepPolicy("{\"limit\": 1}").started();
    worker.advance();
    assertThatStep(task.step("a")).isIn("enqueued");
    assertThat(held()).isEqualTo(1);
    Instant start = Instant.now();
    for (int seconds : new int[]{10, 69, 70}) {
      assertThatStep(task.step("a")).isIn("enqueued");
      // A server that lives and does not know the handler.
      sql.text(
          "select tasker.heartbeat(?, 'other', 'worker', 2, 0, '[]', 60, ?, '{\"handlers\": [\"another\"]}'::jsonb)",
          SERVER,
          start.plusSeconds(seconds));
      sql.run("update tasker.task_wakeups set wake_at = ?", start.plusSeconds(seconds));
      sql.text("select tasker.advance_due_tasks(?, 1000, p_now => ?, p_unserved_seconds => 60)",
          SERVER, start.plusSeconds(seconds));
    }

    // It was offered, so it is recovery that ends it and not the orchestrator.
    assertThatStep(task.step("a")).isIn("error").hasAttempts(1).went("pending", "enqueued",
        "error");
    assertThat(sql.text(
        "select h.actor || ' ' || (r.error ->> 'type') from tasker.workflow_step_transitions h join tasker.workflow_step_result_audit r "
            + "using (workflow_step_uuid) where h.to_state = 'error'"))
        .isEqualTo("recovery worker_unavailable");
    assertThat(held()).isZero();
    assertThat(worker.claim(10)).as("what is left of the offer runs nothing").isEmpty();
    assertThat(messages()).isZero();
  }

  @Test
  void C4_cancelled_waiter_is_skipped_and_the_next_live_one_has_the_slot_at_once() {
    List<Dag.Task> tasks = Dag.of("a").stepPolicy("{\"limit\": 1}").started(4);
    worker.advance();
    Claim running = worker.claimOne();
    List<Dag.Task> waiting = waiting(tasks);
    assertThat(waiting).hasSize(3);
    cancel(sql, waiting.get(0));

    worker.complete(running.success());

    assertThat(
        sql.uuid("select task_uuid from tasker.concurrency_slots where admitted_at is not null"))
        .as("in the same transaction")
        .isEqualTo(waiting.get(1).uuid());
    for (Dag.Task next : waiting.subList(1, 3)) {
      worker.advance();
      Claim claim = worker.claimOne();
      assertThat(claim.task()).isEqualTo(next.uuid());
      assertThat(held()).isEqualTo(1);
      worker.complete(claim.success());
    }
    assertThat(sql.number("select count(*) from tasker.concurrency_slots")).as("slots that leaked")
        .isZero();
  }

  @Test
  void C4_cancel_of_a_waiter_races_its_promotion_and_no_slot_leaks() {
    List<Dag.Task> tasks = Dag.of("a").stepPolicy("{\"limit\": 1}").started(60);
    worker.advance();
    int cancelled = 0;
    int completed = 0;
    try (Race race = new Race(2)) {
      for (List<Claim> claims = worker.claim(10); !claims.isEmpty(); claims = worker.claim(10)) {
        assertThat(claims).as("active at once").hasSize(1);
        Claim running = claims.get(0);
        // The next waiter is cancelled while the slot is passed on to it.
        java.util.UUID next = sql
            .uuid(
                "select task_uuid from tasker.concurrency_slots where admitted_at is null order by claim_rank, waiting_position limit 1");
        race.run(session -> next == null ? "no waiter" : cancel(session, new Dag.Task(next, null)),
            session -> SqlWorker.in(session).complete(running.success()).toString());
        completed++;
        cancelled += next == null ? 0 : 1;
        sql.run("update tasker.task_wakeups set wake_at = now()");
        worker.advance();
        assertThat(held()).isLessThanOrEqualTo(1);
      }
    }
    assertThat(completed + cancelled).isEqualTo(tasks.size());
    assertThat(sql.number("select count(*) from tasker.concurrency_slots")).as("slots that leaked")
        .isZero();
    assertThat(sql.texts("select distinct state from tasker.tasks order by 1"))
        .containsExactlyInAnyOrder("complete", "cancelled");
  }

  @Test
  void C2_step_that_cannot_be_handed_off_ends_in_error_with_its_cause_and_without_a_message() {
    Dag.Task task = Dag.of("a").submitted();

    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 0, 'pending', 'error', 'orchestrator', null, "
            + "'{\"error\": {\"type\": \"NoHandler\", \"message\": \"no server can run this\"}}')",
        task.step("a"))).isTrue();

    assertThatStep(task.step("a")).isIn("error").hasAttempts(0).went("pending", "error");
    assertThat(sql.text(
        "select error ->> 'type' from tasker.workflow_step_result_audit where workflow_step_uuid = ?",
        task.step("a")))
        .isEqualTo("NoHandler");
    worker.advance();
    assertThat(messages()).isZero();
    assertThat(worker.claim(10)).isEmpty();
    assertThatTask(task).counts(1, 0, 1, 0);
  }

  @Test
  void C3_cancel_races_the_handoff_and_one_of_them_wins_each_of_200_rounds() {
    int rounds = 200;
    List<Dag.Task> tasks = Dag.of("a").submitted(rounds);
    try (Race race = new Race(2)) {
      for (Dag.Task task : tasks) {
        List<String> answers = race.run(
            session -> cancel(session, task),
            session -> session.text("select tasker.evaluate_tasks(array[?]::uuid[], null)",
                task.uuid()));
        assertThat(answers.get(0)).isEqualTo("requested cancelled");
      }
    }

    // Either the cancel came first and there was no offer, or the offer was there and the cancel
    // revoked it.
    Map<String, Long> paths = paths(sql);
    System.out.println("cancel against handoff: " + paths);
    assertThat(paths.keySet()).isSubsetOf("pending cancelled", "pending enqueued cancelled");
    assertThat(paths.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(rounds);
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'cancelled'"))
        .isEqualTo(rounds);
    assertThat(messages()).as("messages of revoked offers").isZero();
    assertThat(worker.claim(1000)).isEmpty();
  }

  /** How many steps went which way. */
  static Map<String, Long> paths(Sql sql) {
    return sql
        .texts(
            "select string_agg(to_state::text, ' ' order by sort_key) from tasker.workflow_step_transitions group by workflow_step_uuid")
        .stream()
        .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
  }

  @Test
  void C5_cancel_again_changes_nothing_and_a_finished_task_stays_what_it_is() {
    Dag.Task task = Dag.of("a").submitted();
    assertThat(cancel(sql, task)).isEqualTo("requested cancelled");
    String before = everything();

    assertThat(cancel(sql, task)).isEqualTo("already_ended cancelled");
    assertThat(cancel(sql, task)).isEqualTo("already_ended cancelled");

    assertThat(everything()).isEqualTo(before);
    Dag.Task done = Dag.of("a").started();
    worker.runToTheEnd();
    before = everything();
    assertThat(cancel(sql, done)).isEqualTo("already_ended complete");
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(?, 1, 'pending', 'cancelled', 'orchestrator', null)",
        done.step("a")))
        .isFalse();
    assertThat(everything()).isEqualTo(before);
  }

  /** Every row that a cancel could touch, as text. */
  private String everything() {
    return sql.text(
        "select string_agg(r, ';' order by r) from (select t::text as r from tasker.tasks t union all select s::text from tasker.workflow_steps s "
            + "union all select h::text from tasker.task_transitions h union all select h::text from tasker.workflow_step_transitions h) x");
  }

  @Test
  void C6_worker_can_neither_cancel_nor_start_what_was_not_offered() {
    Dag.Task task = Dag.of("a").submitted();
    for (String to : List.of("cancelled", "in_progress", "enqueued", "error", "complete")) {
      assertThatDatabaseRefuses("TK005",
          () -> sql.text(
              "select tasker.transition_step_state_atomic(?, 0, 'pending', ?, 'worker', null)",
              task.step("a"), to));
      // A session that writes the rows without the functions cannot record it either.
      assertThatDatabaseRefuses("TK005", () -> sql.run(
          "insert into tasker.step_moves (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt) "
              + "values (?, 2, ?, 'pending', ?, 'worker', 0, 0)",
          task.step("a"), task.uuid(), to));
    }
    sql.text(
        "select pgmq.send('worker_orders_queue'::text, jsonb_build_object('step_uuid', ?::uuid, 'task_uuid', ?::uuid, 'handoff', 0), '{\"claim_order\": 1}'::jsonb)",
        task.step("a"), task.uuid());
    assertThat(worker.claim(10)).isEmpty();
    assertThatStep(task.step("a")).isIn("pending").went("pending");
  }
}
