package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two who meet at the gate of a policy, in every order; and many who do so at once. */
@DatabaseTest
class ConcurrencyRacesTest {
  private static final Dag ONE_AT_A_TIME = Dag.of("a").stepPolicy("{\"limit\": 1}");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private List<UUID> held() {
    return sql.texts(
        "select task_uuid from tasker.concurrency_slots where admitted_at is not null order by admitted_at")
        .stream()
        .map(UUID::fromString).toList();
  }

  private Claim running() {
    worker.advance();
    return worker.claimOne();
  }

  @Test
  void who_asks_while_a_slot_is_being_given_back_is_not_forgotten() {
    ONE_AT_A_TIME.started();
    Claim first = running();
    Dag.Task second = ONE_AT_A_TIME.started();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(first.success());
      worker.advance();
      assertThatStep(second.step("a")).isIn("pending");
      assertThat(worker.advance().getJsonNumber("next_wake_in_ms").intValue())
          .as("the next check is immediate").isZero();
      session.commit();
    }
    worker.advance();
    assertThat(worker.claimOne().task()).isEqualTo(second.uuid());
  }

  @Test
  void a_slot_released_while_another_request_starts_to_wait_is_not_lost() {
    ONE_AT_A_TIME.started();
    Claim first = running();
    Dag.Task second = ONE_AT_A_TIME.started();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).advance();
      worker.complete(first.success());
      assertThat(sql.number("select count(*) from tasker.concurrency_releases"))
          .as("a note for the next claim").isEqualTo(1);
      session.commit();
    }
    worker.advance();
    assertThat(worker.claimOne().task()).isEqualTo(second.uuid());
    assertThat(sql.number("select count(*) from tasker.concurrency_releases")).isZero();
  }

  @Test
  void a_release_that_is_rolled_back_admits_no_waiter() {
    Dag.Task one = ONE_AT_A_TIME.started();
    Claim first = running();
    ONE_AT_A_TIME.started();
    worker.advance();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(first.success());
      session.rollback();
    }
    worker.advance();
    assertThat(held()).containsExactly(one.uuid());
    assertThat(worker.claim(5)).isEmpty();
  }

  @Test
  void a_cancel_does_not_wait_for_the_transaction_that_promotes_and_the_next_gets_the_slot() {
    ONE_AT_A_TIME.started();
    Claim first = running();
    Dag.Task second = ONE_AT_A_TIME.started();
    Dag.Task third = ONE_AT_A_TIME.started();
    worker.advance();
    try (Sql session = Sql.session()) {
      SqlWorker.in(session).complete(first.success());
      sql.run("set statement_timeout = '3s'");
      sql.text("select tasker.request_cancel(?, 'me', 'why not')", second.uuid());
      session.commit();
    }
    worker.advance();
    worker.advance();
    assertThat(held()).containsExactly(third.uuid());
    assertThat(worker.claimOne().task()).isEqualTo(third.uuid());
  }

  @Test
  void a_promotion_passes_over_a_waiter_that_is_being_cancelled() {
    ONE_AT_A_TIME.started();
    Claim first = running();
    Dag.Task second = ONE_AT_A_TIME.started();
    Dag.Task third = ONE_AT_A_TIME.started();
    worker.advance();
    try (Sql session = Sql.session()) {
      session.text("select tasker.request_cancel(?, 'me', 'why not')", second.uuid());
      worker.complete(first.success());
      assertThat(held()).as("while the cancel is under way").containsExactly(third.uuid());
      session.commit();
    }
    worker.advance();
    assertThat(worker.claimOne().task()).isEqualTo(third.uuid());
  }

  @Test
  void a_transaction_with_an_old_snapshot_decides_nothing() {
    ONE_AT_A_TIME.started();
    try (Sql session = Sql.session()) {
      session.run("set transaction isolation level repeatable read");
      SqlWorker.in(session).advance();
      session.commit();
    }
    assertThat(held()).isEmpty();
    assertThat(running()).isNotNull();
  }

  /** The database has no such level; WildFly asks for it where a descriptor says read committed. */
  @Test
  void a_transaction_that_may_read_what_is_uncommitted_decides_as_any_other() {
    ONE_AT_A_TIME.started();
    try (Sql session = Sql.session()) {
      session.run("set transaction isolation level read uncommitted");
      SqlWorker.in(session).advance();
      session.commit();
    }
    assertThat(held()).hasSize(1);
  }

  @Test
  void completions_and_requests_of_two_policies_in_opposite_order_do_not_deadlock()
      throws Exception {
    Dag ab = Dag.linear(2).inNamespace("payments")
        .policy("{\"limit\": 2, \"counts\": \"steps\", \"key\": \"/k\"}");
    for (int i = 0; i < 60; i++) {
      ab.context("{\"k\": " + i % 3 + "}").started();
    }
    race(4, Duration.ofSeconds(90));
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(60);
  }

  @Test
  void a_burst_never_exceeds_the_limit_and_loses_no_waiter() throws Exception {
    Dag dag = Dag.of("a").step("b").dependsOn("a").stepPolicy("{\"limit\": 3}")
        .policy("{\"limit\": 5}");
    dag.started(200);
    race(4, Duration.ofSeconds(20));
    assertThat(sql.texts(
        """
        select s.holder_uuid::text from tasker.concurrency_slots s join tasker.workflow_steps w on w.workflow_step_uuid = s.holder_uuid
        where s.admitted_at is not null and not s.is_due and w.state = 'pending'
          and not exists (select from tasker.concurrency_slots o where o.holder_uuid = s.task_uuid and o.admitted_at is null)"""))
        .as("steps with all their slots that are not handed off before their wake-up").isEmpty();
    race(4, Duration.ofSeconds(90));
    assertThat(sql.number("select count(*) from tasker.tasks where state = 'complete'"))
        .isEqualTo(200);
    assertThat(sql.number("select count(*) from tasker.concurrency_slots")).isZero();
    // The last to end may have found the gate busy and left a note, which the next round works off.
    worker.advance();
    assertThat(sql.number("select count(*) from tasker.concurrency_releases")).isZero();
    assertThat(sql.number(mostAtOnce("s.step_position = 2"))).isBetween(1L, 3L);
    assertThat(sql.number("""
        with ends as (
          select h.task_uuid, h.created_at as at, case when h.to_state = 'enqueued' then 1 end as is_start
          from tasker.workflow_step_transitions h where h.to_state in ('enqueued', 'complete')),
        spans as (select task_uuid, min(at) filter (where is_start = 1) as from_at, max(at) filter (where is_start is null) as to_at from ends group by task_uuid),
        moves as (select from_at as at, 1 as d from spans union all select to_at, -1 from spans)
        select max(n) from (select sum(d) over (order by at, d) as n from moves) m"""))
        .as("tasks under way").isBetween(1L, 5L);
  }

  /** From the history: how many steps were offered or running at the same time. */
  private static String mostAtOnce(String which) {
    return "select max(n) from (select sum(case h.to_state when 'enqueued' then 1 else -1 end) over (order by h.created_at, h.to_state desc) as n "
        + "from tasker.workflow_step_transitions h join tasker.workflow_steps s using (workflow_step_uuid) "
        + "where " + which + " and h.to_state in ('enqueued', 'complete')) m";
  }

  /**
   * Workers that claim, complete and look after what is due, until nothing is left or the time is
   * over.
   */
  private void race(int workers, Duration atMost) throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      all.add(CompletableFuture.runAsync(() -> {
        try (SqlWorker one = SqlWorker.open(); Sql own = Sql.open()) {
          long deadline = System.nanoTime() + atMost.toNanos();
          while (own.isTrue("select exists (select from tasker.tasks where completed_at is null)")
              && System.nanoTime() < deadline) {
            one.advance();
            List<Claim> claims = one.claim(3);
            if (!claims.isEmpty()) {
              one.complete(2, claims.stream().map(Claim::success).toList())
                  .getJsonArray("claimed_steps").stream()
                  .map(a -> SqlWorker.claims(jakarta.json.Json.createArrayBuilder().add(a).build())
                      .get(0))
                  .forEach(claim -> one.complete(claim.success()));
            }
          }
        }
      }));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
  }
}
