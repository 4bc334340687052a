package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a transactional handler writes is there exactly as often as its step is complete: once or
 * never.
 */
@Tag("long")
@AgainstServer
class TransactionalStepsIT {
  private final TaskerClient tasker;

  TransactionalStepsIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private static UUID book(TaskerClient tasker, String way) {
    return tasker.submit("booking", "{'way': '" + way + "'}");
  }

  private static long bookings(TaskerClient tasker, UUID task) {
    return tasker.count("select count(*) from testing.bookings where task_uuid = ?", task);
  }

  private static long tries(TaskerClient tasker, UUID task) {
    return tasker.count(
        "select count(*) from testing.effects where task_uuid = ? and effect = 'booked'", task);
  }

  @Test
  void effect_is_committed_with_the_result_and_the_successor_follows() {
    UUID task = book(tasker, "");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(bookings(tasker, task)).isEqualTo(1);
    assertThat((Object) tasker.value(
        "select count(distinct t) from (select xmin::text as t from testing.bookings where task_uuid = ? "
            + "union all select r.xmin::text from tasker.workflow_step_result_audit r join tasker.workflow_steps s using (workflow_step_uuid) "
            + "where s.task_uuid = ? and s.step_position = 1) x",
        task, task)).as("one transaction wrote both").isEqualTo(1L);
  }

  @ParameterizedTest
  @CsvSource({
    "throws, 2, UnexpectedError",
    "fails, 1, Refused",
    "bad result, 1, result_schema_violation",
    "marks, 2, transaction_failed",
    "deferred, 2, transaction_failed",
    "decides, 1, invalid_decision",
    "ends, 1, transaction_ended",
    "replaces, 1, transaction_ended"})
  void without_an_accepted_success_nothing_is_there(String way, int attempts, String error) {
    UUID task = book(tasker, way);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    JsonObject step = tasker.steps(task).get("book");
    assertThat(step.getJsonObject("error").getString("type")).isEqualTo(error);
    assertThat(step.getInt("attempts")).isEqualTo(attempts);
    assertThat(tries(tasker, task)).isEqualTo(attempts);
    assertThat(bookings(tasker, task)).isZero();
  }

  @Test
  void failed_attempt_leaves_nothing_and_the_next_one_does_it_once() {
    UUID task = book(tasker, "throws once");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tries(tasker, task)).isEqualTo(2);
    assertThat(tasker.sql("select attempt from testing.bookings where task_uuid = ?", task))
        .containsExactly(Map.of("attempt", 2));
  }

  @ParameterizedTest
  @CsvSource({"submits, complete, 1", "submits and throws, blocked_by_failures, 0"})
  void task_that_it_submits_shares_the_fate_of_its_result(String way, String state, int submitted) {
    UUID task = book(tasker, way);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo(state);
    assertThat(
        tasker.count("select count(*) from tasker.tasks where initiator = ?", task.toString()))
        .isEqualTo(submitted);
  }

  @Test
  void zombie_whose_step_was_given_to_another_attempt_is_rolled_back() {
    UUID task = book(tasker, "holds first");
    TaskerClient.until("the first attempt has booked", Duration.ofSeconds(20),
        () -> tries(tasker, task) == 1);
    // Its lease is over, by decree.
    tasker.sql(
        """
        with expired as (update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '1 second'
                         where task_uuid = ? and state = 'in_progress' returning task_uuid)
        update tasker.task_wakeups w set wake_at = clock_timestamp() from expired where w.task_uuid = expired.task_uuid""",
        task);
    tasker.value("select tasker.notify_servers(null, array['orchestration'])::text");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.sql("select attempt from testing.bookings where task_uuid = ?", task))
        .containsExactly(Map.of("attempt", 2));
    List<Map<String, Object>> zombies = tasker.sql(
        "select pid, xact_start from pg_stat_activity where state = 'idle in transaction' and query like '%testing.bookings%'");
    assertThat(zombies).as("it still holds its transaction").hasSize(1);
    tasker.sql("insert into testing.released values (?) returning task_uuid", task);
    // Everything that the zombie does is done when that transaction is over.
    TaskerClient.until("the zombie's transaction is over", Duration.ofSeconds(20),
        () -> tasker.count(
            "select count(*) from pg_stat_activity where pid = ? and xact_start = ?",
            zombies.get(0).get("pid"), zombies.get(0).get("xact_start")) == 0);
    assertThat(tasker.sql("select attempt from testing.bookings where task_uuid = ?", task))
        .containsExactly(Map.of("attempt", 2));
  }

  @Test
  void nothing_is_locked_while_the_handler_runs() {
    UUID task = book(tasker, "holds");
    TaskerClient.until("it has booked", Duration.ofSeconds(20), () -> tries(tasker, task) == 1);

    assertThat(tasker.sql(
        "select workflow_step_uuid from tasker.workflow_steps where task_uuid = ? for update nowait",
        task)).hasSize(2);
    assertThat(tasker
        .sql("select task_uuid from tasker.tasks where task_uuid = ? for update nowait", task))
        .hasSize(1);
    assertThat(bookings(tasker, task)).isZero();
    Object lease = tasker.value(
        "select lease_expires_at from tasker.workflow_steps where task_uuid = ? and state = 'in_progress'",
        task);
    TaskerClient.until("the heartbeat renewed the lease meanwhile", Duration.ofSeconds(60),
        () -> !lease.equals(
            tasker.value(
                "select lease_expires_at from tasker.workflow_steps where task_uuid = ? and state = 'in_progress'",
                task)));
    tasker.sql("insert into testing.released values (?) returning task_uuid", task);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(bookings(tasker, task)).isEqualTo(1);
  }

  @Test
  void checkpoint_stays_although_its_attempt_is_in_a_transaction_of_its_own() {
    UUID task = book(tasker, "saves");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(
        tasker.count(
            "select count(*) from tasker.workflow_step_documents where task_uuid = ? and checkpoint = '\"half way\"'",
            task))
        .isEqualTo(1);
  }

  @Test
  void what_a_handler_wrote_before_it_yielded_is_committed_with_its_checkpoint() {
    UUID task = book(tasker, "yields");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(bookings(tasker, task)).isEqualTo(1);
    assertThat(tasker.steps(task).get("book").getInt("attempts")).isEqualTo(1);
    assertThat(
        tasker.count("select yields from tasker.workflow_step_documents where task_uuid = ?", task))
        .isEqualTo(1);
  }

  @Test
  void yield_after_a_cancel_request_takes_what_was_written_back() {
    UUID task = book(tasker, "yields late");
    TaskerClient.until("the handler has written", Duration.ofSeconds(30),
        () -> tries(tasker, task) == 1);

    assertThat(tasker.delete("/v1/tasks/" + task + "?policy=allow_finish&reason=test").status())
        .isEqualTo(200);
    tasker.sql("insert into testing.released values (?) returning task_uuid", task);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("cancelled");
    assertThat(bookings(tasker, task)).isZero();
  }

  @Test
  void handler_that_takes_too_long_is_rolled_back() {
    UUID task = tasker.submit("slow_booking", "{'way': 'hangs'}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    assertThat(tasker.steps(task).get("book").getJsonObject("error").getString("type"))
        .isEqualTo("handler_timeout");
    TaskerClient.until("its transaction is over", Duration.ofSeconds(20), () -> tasker
        .count(
            "select count(*) from pg_stat_activity where state = 'idle in transaction' and query like '%testing.bookings%'") == 0);
    assertThat(bookings(tasker, task)).isZero();
  }

  @Test
  void servers_that_die_in_the_middle_leave_every_effect_once() {
    try (EmbeddedDatabase database = TestServer.newDatabase()) {
      Map<String, String> impatient = Map.of("TASKER_WORKER_LEASE_SECONDS", "5",
          "TASKER_WORKER_HEARTBEAT_SECONDS", "1",
          "TASKER_POLL_INTERVAL_SECONDS", "1");
      try (TestServer doomed = TestServer.start(database, impatient)) {
        TaskerClient client = doomed.client();
        client.register("/testing/templates.yaml");
        List<UUID> tasks = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
          tasks.add(client.submit("booking", i % 4 == 0 ? "{'way': 'holds first'}" : "{}"));
        }
        TaskerClient.until("all have booked, and some hold", Duration.ofSeconds(30),
            () -> client
                .count("select count(*) from testing.effects where effect = 'booked'") >= 40);
        doomed.kill();
        try (TestServer heir = TestServer.start(database, impatient)) {
          for (UUID task : tasks) {
            assertThat(heir.client().awaitTerminalOrBlocked(task).getString("state"))
                .isEqualTo("complete");
          }
          assertThat(
              heir.client().count("select count(*) from testing.effects where effect = 'booked'"))
              .as("some had to be done again")
              .isGreaterThan(40);
          assertThat(heir.client().count("select count(*) from testing.bookings")).isEqualTo(40);
          assertThat(heir.client().count("select count(distinct task_uuid) from testing.bookings"))
              .isEqualTo(40);
          assertThat(History.broken(heir.client())).isEmpty();
        }
      }
    }
  }
}
