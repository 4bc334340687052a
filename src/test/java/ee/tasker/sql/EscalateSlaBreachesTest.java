package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * What raises the place of a step in the claim besides age and points: retries, and the SLA of its
 * template.
 */
@DatabaseTest
@DatabaseTest.Covers({"breach_blocked_slas", "calculate_claim_rank"})
class EscalateSlaBreachesTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Instant start = Instant.now();

  private Instant in(Duration time) {
    return start.plus(time);
  }

  /**
   * By a session of its own: after a claim, a session continues from its cursor for a quarter of a
   * second.
   */
  private static List<UUID> claimedAt(Instant time) {
    try (SqlWorker fresh = SqlWorker.open()) {
      return fresh.at(time).claim(1).stream().map(Claim::task).toList();
    }
  }

  @Test
  void a_retry_comes_before_the_first_attempt_of_a_task_that_is_less_than_a_minute_older() {
    Dag.Task older = Dag.of("a").step("b").started();
    Dag.Task younger = Dag.of("x").started();
    List<Claim> claims = worker.claim(3);
    worker.complete(claims.stream().filter(c -> c.task().equals(older.uuid())).map(Claim::success)
        .toArray(SqlWorker.Result[]::new));
    Dag.Task first = Dag.of("a").started();
    worker.complete(
        claims.stream().filter(c -> c.task().equals(younger.uuid())).map(c -> c.retryableFailure(0))
            .toArray(SqlWorker.Result[]::new));
    assertThat(
        sql.isTrue(
            "select t.claim_order < u.claim_order from tasker.tasks t, tasker.tasks u where t.task_uuid = ? and u.task_uuid = ?",
            younger.uuid(), first.uuid()))
        .isTrue();
    // Older by nothing that matters, so that only the attempt decides: the same again with the
    // older one in front.
    sql.run("update tasker.tasks set claim_order = claim_order + 30000 where task_uuid = ?",
        younger.uuid());
    worker.at(in(Duration.ofSeconds(31))).advance();
    assertThat(claimedAt(in(Duration.ofSeconds(31)))).containsExactly(younger.uuid());
    assertThat(claimedAt(in(Duration.ofSeconds(31)))).containsExactly(first.uuid());
  }

  @Test
  void every_further_attempt_moves_it_forward_by_a_minute_and_none_takes_it_back() {
    Dag.Task task = Dag.of("a").maxAttempts(9).started();
    String place = "select (headers ->> 'claim_order')::bigint from pgmq.q_worker_orders_queue";
    String priority = "select computed_priority from tasker.get_task_ready_info(?, ?)";
    long first = sql.number(place);
    double before = Double.parseDouble(sql.text(priority, task.uuid(), start));
    for (int retry = 1; retry <= 3; retry++) {
      Instant now = in(Duration.ofMinutes(retry));
      worker.at(now).complete(worker.claimOne().retryableFailure(0));
      worker.at(now.plusSeconds(30)).advance();
      assertThat(sql.number(place)).isEqualTo(first - retry * 60_000L);
      assertThat(Double.parseDouble(sql.text(priority, task.uuid(), start)) - before)
          .isEqualTo(retry);
    }
    worker.at(in(Duration.ofMinutes(9)));
    worker.complete(worker.claimOne().success());
  }

  @Test
  void an_offer_that_waits_goes_to_the_front_when_its_task_is_older_than_its_sla_and_only_once() {
    List<Dag.Task> before = Dag.of("a").started(3);
    sql.run("update tasker.tasks set claim_order = claim_order - 90 * 60000");
    sql.run(
        "update pgmq.q_worker_orders_queue set headers = jsonb_build_object('claim_order', (headers ->> 'claim_order')::bigint - 90 * 60000)");
    Dag.Task late = Dag.of("a").slaMinutes(10).started();
    String order = "select claim_order from tasker.tasks where task_uuid = ?";
    long place = sql.number(order, late.uuid());

    worker.at(in(Duration.ofMinutes(9))).advance();
    assertThat(sql.isTrue("select sla_breached_at is null from tasker.tasks where task_uuid = ?",
        late.uuid())).isTrue();
    assertThat(sql.isTrue(
        "select wake_at between ?::timestamptz and ?::timestamptz from tasker.task_wakeups where task_uuid = ?",
        in(Duration.ofSeconds(599)), in(Duration.ofSeconds(605)), late.uuid()))
        .as("it is evaluated when the SLA ends").isTrue();
    worker.at(in(Duration.ofMinutes(11))).advance();
    worker.at(in(Duration.ofMinutes(60))).advance();

    assertThat(sql.number(order, late.uuid())).isEqualTo(place - 100 * 60_000L);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("no message was sent twice").isEqualTo(4);
    assertThat(claimedAt(in(Duration.ofMinutes(60)))).containsExactly(late.uuid());
    assertThat(before.stream().map(Dag.Task::uuid).toList())
        .contains(claimedAt(in(Duration.ofMinutes(60))).get(0));
  }

  @Test
  void what_comes_after_the_breach_has_the_higher_place_as_well() {
    Dag.linear(2).slaMinutes(1).started();
    Instant late = in(Duration.ofSeconds(90));
    Claim first = worker.at(in(Duration.ofSeconds(50))).claimOne();
    worker.at(late).advance();
    assertThat(sql.number("select count(*) from tasker.tasks where sla_breached_at is not null"))
        .isOne();
    worker.complete(first.success());
    assertThat(sql.isTrue(
        "select (q.headers ->> 'claim_order')::bigint = t.claim_order and t.claim_order < 1000 * extract(epoch from t.created_at) - 5900000 "
            + "from pgmq.q_worker_orders_queue q, tasker.tasks t"))
        .isTrue();
  }

  @Test
  void a_worker_that_is_taking_the_offer_is_not_waited_for() {
    Dag.Task late = Dag.of("a").slaMinutes(1).started();
    try (Sql claiming = Sql.session()) {
      SqlWorker taking = SqlWorker.in(claiming);
      assertThat(taking.claim(1)).hasSize(1);
      assertThat(sql.number("select tasker.escalate_sla_breaches(?, ?)", List.of(late.uuid()),
          in(Duration.ofMinutes(2)))).isOne();
      claiming.rollback();
    }
    worker.at(in(Duration.ofMinutes(3))).advance();
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
        .as("the message is found by its place from before").isOne();
  }

  @Test
  void finished_tasks_and_templates_without_an_sla_are_left_alone() {
    Dag.Task finished = Dag.of("a").slaMinutes(1).started();
    worker.runToTheEnd();
    Dag.Task other = Dag.of("a").started();
    assertThat(sql.number("select tasker.escalate_sla_breaches(?, ?)",
        List.of(finished.uuid(), other.uuid()), in(Duration.ofDays(2))))
        .isZero();
  }

  private boolean isBreached(Dag.Task task) {
    return sql.isTrue("select sla_breached_at is not null from tasker.tasks where task_uuid = ?",
        task.uuid());
  }

  private static int tasksPastSla(Sql sql) {
    return sql.object("select tasker.get_metrics_document()").getInt("tasks_past_sla");
  }

  private Dag.Task blocked(Dag template) {
    Dag.Task task = template.started();
    worker.at(null).complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures");
    return task;
  }

  @Test
  void a_blocked_task_is_unfinished_and_breaches_its_sla_in_time() {
    Dag.Task task = blocked(Dag.of("a").slaMinutes(10));
    JsonObject round = worker.at(in(Duration.ofMinutes(9))).advance();
    assertThat(isBreached(task)).isFalse();
    assertThat(round.getJsonNumber("next_wake_in_ms").longValue())
        .as("a server looks again when the SLA ends").isBetween(1L, 62_000L);

    worker.at(in(Duration.ofMinutes(10)).plusSeconds(1)).advance();
    assertThat(isBreached(task)).isTrue();
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(tasksPastSla(sql)).isOne();
    assertThat(
        sql.texts(
            "select t ->> 'task_uuid' from json_array_elements(tasker.list_tasks('{\"sla_breached\": \"true\"}') -> 'tasks') t"))
        .containsExactly(task.uuid().toString());
    assertThat(worker.at(in(Duration.ofMinutes(11))).advance().isNull("next_wake_in_ms"))
        .as("nothing is left to look at").isTrue();

    new Operator().task(task, "resolve");
    assertThat(tasksPastSla(sql)).isZero();
  }

  @Test
  void a_closed_investigation_neither_hides_the_breach_nor_the_task() {
    Dag.Task task = blocked(Dag.of("a").slaMinutes(10));
    UUID entry = sql.uuid("select dlq_entry_uuid from tasker.tasks_dlq where task_uuid = ?",
        task.uuid());
    sql.text("select tasker.update_dlq_entry(?, 'permanently_failed', 'ann', 'known')", entry);
    worker.at(in(Duration.ofMinutes(11))).advance();
    assertThat(isBreached(task)).isTrue();
    assertThat(tasksPastSla(sql)).isOne();
  }

  @Test
  void a_task_that_goes_on_breaches_its_sla_as_any_other() {
    Dag.Task task = blocked(Dag.of("a").slaMinutes(10));
    new Operator().step(task, "a", "reset_for_retry");
    assertThat(sql.number("select count(*) from tasker.tasks_dlq where sla_due_at is not null"))
        .isZero();
    worker.at(in(Duration.ofMinutes(11))).advance();
    assertThat(isBreached(task)).isTrue();

    worker.at(null).complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(tasksPastSla(sql)).isOne();
  }

  @Test
  void an_open_wait_beside_the_failure_excuses_nothing() {
    Dag.Task task = blocked(
        Dag.of("a").slaMinutes(10).step("b").waitingOnly("{\"wait\": {\"for\": \"P400D\"}}"));
    assertThat(sql.number("select count(*) from tasker.step_waits where state = 'open'")).isOne();
    worker.at(in(Duration.ofMinutes(11))).advance();
    assertThat(isBreached(task)).isTrue();
  }

  @Test
  void a_blocked_task_that_another_session_holds_is_taken_next_time_and_holds_up_no_other() {
    Dag.Task held = blocked(Dag.of("a").slaMinutes(10));
    Dag.Task other = blocked(Dag.of("a").slaMinutes(10));
    try (Sql session = Sql.session()) {
      session.run("select from tasker.tasks where task_uuid = ? for no key update", held.uuid());
      assertThat(sql.number("select tasker.breach_blocked_slas(10, ?)", in(Duration.ofMinutes(11))))
          .isOne();
      session.rollback();
    }
    assertThat(isBreached(held)).isFalse();
    assertThat(isBreached(other)).isTrue();
    assertThat(sql.number("select tasker.breach_blocked_slas(10, ?)", in(Duration.ofMinutes(11))))
        .isOne();
    assertThat(isBreached(held)).isTrue();
  }

  @Test
  void who_is_late_is_in_the_list_and_in_the_metrics() {
    Dag.Task late = Dag.of("a").slaMinutes(1).started();
    Dag.of("a").started();
    worker.at(in(Duration.ofMinutes(2))).advance();
    assertThat(
        sql.texts(
            "select t ->> 'task_uuid' from json_array_elements(tasker.list_tasks('{\"sla_breached\": \"true\"}') -> 'tasks') t"))
        .containsExactly(late.uuid().toString());
    assertThat(sql.object("select tasker.get_metrics_document()").getInt("tasks_past_sla")).isOne();
    worker.at(in(Duration.ofMinutes(3))).runToTheEnd();
    assertThat(sql.object("select tasker.get_metrics_document()").getInt("tasks_past_sla"))
        .isZero();
  }
}
