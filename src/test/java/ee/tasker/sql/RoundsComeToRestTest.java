package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A task that cannot move is not due again at once, whatever holds it: the server repeats its
 * rounds while they find a due task, and would look at nothing else.
 */
@DatabaseTest
class RoundsComeToRestTest {
  private static final String APPROVAL = "{\"approval\": {\"title\": \"Loan\", "
      + "\"candidates\": {\"users\": [\"ann\"]}, \"due\": \"PT1H\", \"claim_for\": \"PT10M\"}}";

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  enum Holds {
    PENDING, DELAYED, OFFERED, OFFERED_WITH_A_TIMEOUT, CLAIMED, RETRYING, WAITING_FOR_A_TIME,
    WAITING_FOR_A_SIGNAL, WAITING_FOR_AN_APPROVAL, CLAIMED_APPROVAL, BREACHING, TIMED, STALE,
    WAITING_FOR_A_SLOT, BEHIND_A_FAILURE, BESIDE_A_FAILURE, CANCELLED
  }

  @ParameterizedTest
  @EnumSource
  void of_a_paused_template(Holds holds) {
    Dag.Task task = task(holds);
    sql.text("select tasker.pause_templates(?, ?, null, 'ann', 'a stop')",
        task.template().namespace(), task.template().name());
    assertThatRoundsEnd();
  }

  @ParameterizedTest
  @EnumSource
  void of_a_template_that_is_not_paused(Holds holds) {
    task(holds);
    assertThatRoundsEnd();
  }

  private Dag.Task task(Holds holds) {
    return switch (holds) {
      case PENDING -> Dag.of("a").submitted();
      case DELAYED -> Dag.of("a").option("start_at", Instant.now().plusSeconds(60).toString())
          .started();
      case OFFERED -> Dag.of("a").started();
      case OFFERED_WITH_A_TIMEOUT -> Dag.of("a").queueTimeoutSeconds(20).started();
      case CLAIMED -> claimed(Dag.of("a").started());
      case RETRYING -> retrying(Dag.of("a").maxAttempts(5));
      case WAITING_FOR_A_TIME -> waiting("{\"wait\": {\"for\": \"PT1H\"}}");
      case WAITING_FOR_A_SIGNAL -> waiting(
          "{\"signal\": {\"name\": \"paid\", \"timeout\": \"PT1H\"}}");
      case WAITING_FOR_AN_APPROVAL -> waiting(APPROVAL);
      case CLAIMED_APPROVAL -> {
        Dag.Task task = waiting(APPROVAL);
        sql.text("select tasker.claim_approval(approval_uuid, 'ann') from tasker.approvals");
        yield task;
      }
      case BREACHING -> claimed(Dag.of("a").slaMinutes(1).started());
      case TIMED -> Dag.of("a").lifecycle("max_duration", "PT10M").started();
      case STALE -> Dag.of("a").lifecycle("max_duration_minutes", 10)
          .lifecycle("staleness_action", "none").started();
      case WAITING_FOR_A_SLOT -> {
        Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1}");
        claimed(dag.started());
        yield dag.started();
      }
      case BEHIND_A_FAILURE -> {
        Dag.Task task = Dag.of("a").maxAttempts(1).step("b").dependsOn("a").step("c")
            .maxAttempts(5).started();
        worker.claim(9).forEach(claim -> worker.complete(claim.step().equals(task.step("a"))
            ? claim.permanentFailure() : claim.retryableFailure(1000)));
        yield task;
      }
      case BESIDE_A_FAILURE -> {
        Dag.Task task = Dag.of("a").maxAttempts(1).step("b").step("ok").waitingOnly(APPROVAL)
            .step("sleep").waitingOnly("{\"wait\": {\"for\": \"PT20M\"}}").started();
        worker.advance();
        sql.text("select tasker.claim_approval(approval_uuid, 'ann') from tasker.approvals");
        worker.claim(9).stream().filter(claim -> claim.step().equals(task.step("a")))
            .forEach(claim -> worker.complete(claim.permanentFailure()));
        sql.run("update tasker.workflow_steps set lease_expires_at = ? where state = 'in_progress'",
            Instant.now().plus(Duration.ofDays(9)));
        yield task;
      }
      case CANCELLED -> {
        Dag.Task task = claimed(Dag.of("a").started());
        sql.text("select tasker.request_cancel(?, 'me', 'why not', 'allow_finish')", task.uuid());
        sql.run("update tasker.workflow_steps set lease_expires_at = ? where state = 'in_progress'",
            Instant.now().plus(Duration.ofDays(9)));
        yield task;
      }
    };
  }

  private Dag.Task waiting(String what) {
    Dag.Task task = Dag.of("ok").waitingOnly(what).started();
    worker.advance();
    return task;
  }

  private Dag.Task claimed(Dag.Task task) {
    worker.advance();
    worker.claimOne();
    return task;
  }

  private Dag.Task retrying(Dag dag) {
    Dag.Task task = dag.started();
    worker.complete(worker.claimOne().retryableFailure(1000));
    return task;
  }

  private void assertThatRoundsEnd() {
    Instant start = Instant.now();
    for (int minutes : new int[]{0, 1, 5, 11, 21, 31, 61, 90, 1_500, 3_000}) {
      Instant then = start.plus(Duration.ofMinutes(minutes)).plusSeconds(1);
      worker.at(then);
      int rounds = 0;
      while (worker.advance().getInt("tasks") > 0) {
        assertThat(++rounds).as("rounds after %d minutes: %s", minutes, sql.text("""
            select string_agg(concat_ws(' ', t.state, w.wake_at), ', ')
            from tasker.tasks t left join tasker.task_wakeups w using (task_uuid)"""))
            .isLessThan(10);
      }
    }
    // The proof looks at the clock and not at the times of the rounds.
    worker.at(null);
    sql.run("update tasker.task_wakeups set wake_at = clock_timestamp()");
    worker.advance();
  }
}
