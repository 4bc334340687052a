package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The database drops every connection while much is under way. */
@AgainstServer
class FaultsIT {
  private static final int TASKS = 200;

  private final TaskerClient tasker;
  private final TestServer server;

  FaultsIT(TaskerClient tasker, TestServer server) {
    this.tasker = tasker;
    this.server = server;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void every_task_completes_although_all_connections_are_cut_again_and_again() {
    Answer created = tasker.post("/v1/tasks:batch",
        Collections.nCopies(TASKS, TaskerClient.taskRequest("testing", "work", "{}")).toString());
    List<UUID> tasks = created.list("verdicts").stream()
        .map(verdict -> UUID.fromString(verdict.getString("task_uuid"))).toList();
    String own = "{" + String.join(",", tasks.stream().map(UUID::toString).toList()) + "}";

    long cut = 0;
    for (long share : new long[]{TASKS / 4, TASKS, 2 * TASKS}) {
      TaskerClient.until("a share of the steps has run", Duration.ofSeconds(60),
          () -> tasker.count(
              "select count(*) from testing.effects where task_uuid = any (?::uuid[])",
              own) >= share);
      cut += cutAllConnections();
    }

    assertThat(cut).isGreaterThan(3);
    for (UUID task : tasks) {
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
          .as(() -> tasker.steps(task).toString()).isEqualTo("complete");
    }
    assertThat(History.broken(tasker)).isEmpty();
    assertThat(tasker.sql("""
        select e.step_uuid, e.attempt, count(*) from testing.effects e where e.task_uuid = any (?::uuid[]) and e.effect = 'ran'
        group by e.step_uuid, e.attempt having count(*) > 1""", own)).as("attempts that ran twice")
        .isEmpty();
  }

  @Test
  void lost_listener_comes_back_and_health_says_so() {
    TaskerClient.until("the listener is connected", Duration.ofSeconds(30),
        () -> health().matches("(?s).*\"connected\"\\s*:\\s*\"?true.*"));
    int before = occurrences("TK1401");
    Object pid = tasker
        .value("select pid from pg_stat_activity where application_name = 'tasker-listener'");

    cutAllConnections();

    TaskerClient.until("it is connected anew", Duration.ofSeconds(30), () -> health()
        .matches("(?s).*\"connected\"\\s*:\\s*\"?true.*")
        && tasker.count(
            "select count(*) from pg_stat_activity where application_name = 'tasker-listener' and pid <> ?",
            pid) == 1);
    assertThat(occurrences("TK1402")).isPositive();
    assertThat(occurrences("TK1401")).isGreaterThan(before);
    assertThat(tasker.get("/health/ready").status()).isEqualTo(200);
    assertThat(tasker.post("/v1/tasks?wait=20", TaskerClient.taskRequest("testing", "hello", "{}"))
        .text("state")).isEqualTo("complete");
  }

  @Test
  void retry_that_became_due_without_a_notification_is_found() {
    UUID task = tasker.submit("retry_later", "{}");
    TaskerClient.until("the step waits for its retry", Duration.ofSeconds(20),
        () -> tasker.get("/v1/tasks/" + task).text("state").equals("waiting_for_retry"));
    // Due now, without any server noticing: no timer was set for it and no notification was sent.
    tasker.sql(
        """
        with due as (update tasker.workflow_steps set next_retry_at = clock_timestamp() where task_uuid = ? returning task_uuid)
        update tasker.task_wakeups w set wake_at = clock_timestamp() from due where w.task_uuid = due.task_uuid""",
        task);

    TaskerClient.until("the next attempt ran", Duration.ofSeconds(30),
        () -> tasker.steps(task).get("failing").getInt("attempts") == 2);
    tasker.delete("/v1/tasks/" + task);
  }

  @Test
  void a_due_task_that_the_database_gives_up_on_is_set_aside_and_holds_up_no_other() {
    UUID noisy = tasker.submit("retry_later", "{}");
    List<UUID> others = IntStream.range(0, 20)
        .mapToObj(n -> tasker.submit("retry_later", "{}")).toList();
    Stream.concat(Stream.of(noisy), others.stream()).forEach(
        task -> TaskerClient.until("the step waits for its retry", Duration.ofSeconds(20),
            () -> tasker.get("/v1/tasks/" + task).text("state").equals("waiting_for_retry")));
    givesUp("before update on tasker.workflow_steps for each row when (old.task_uuid = '" + noisy
        + "' and old.state = 'waiting_for_retry' and new.state <> old.state)");
    try {
      tasker.sql("""
          with due as (update tasker.workflow_steps set next_retry_at = clock_timestamp()
                       where state = 'waiting_for_retry' returning task_uuid)
          update tasker.task_wakeups w set wake_at = clock_timestamp()
          from due where w.task_uuid = due.task_uuid""");

      for (UUID other : others) {
        TaskerClient.until("the next attempt ran", Duration.ofSeconds(30),
            () -> tasker.steps(other).get("failing").getInt("attempts") == 2);
      }
      TaskerClient.until("its fault is recorded", Duration.ofSeconds(30), () -> tasker.count(
          "select count(*) from tasker.task_faults where task_uuid = ? and sqlstate = '57014'",
          noisy) == 1);
    } finally {
      goesOn();
    }

    tasker.sql("update tasker.task_wakeups set wake_at = clock_timestamp() where task_uuid = ?",
        noisy);
    TaskerClient.until("it goes on alone", Duration.ofSeconds(90),
        () -> tasker.steps(noisy).get("failing").getInt("attempts") == 2);
    assertThat(tasker.count("select count(*) from tasker.task_faults where task_uuid = ?", noisy))
        .isZero();
    Stream.concat(Stream.of(noisy), others.stream())
        .forEach(task -> tasker.delete("/v1/tasks/" + task));
  }

  @Test
  void a_schedule_that_the_database_gives_up_on_fails_and_holds_up_no_other() {
    givesUp("before insert on tasker.tasks for each row when (new.initiator = 'schedule:give-up')");
    String noisy = schedule("give-up");
    String other = schedule("beside-give-up");
    try {
      TaskerClient.until("the other one fires on", Duration.ofSeconds(60),
          () -> fires(other, "started") >= 3 && fires(noisy, "failed") >= 1);
      assertThat(fires(noisy, "started")).isZero();
      assertThat(fires(other, "failed")).isZero();
      assertThat(tasker.sql("select distinct f.reason, f.message from tasker.schedule_fires f "
          + "where f.schedule_uuid = ?::uuid", noisy).toString())
          .contains("cannot-be-processed", "canceling statement");
    } finally {
      goesOn();
    }
    TaskerClient.until("it fires", Duration.ofSeconds(60), () -> fires(noisy, "started") >= 1);
    for (String schedule : List.of(noisy, other)) {
      tasker.post("/v1/schedules/" + schedule + "/pause",
          TaskerClient.quoted("{'acted_by': 'me', 'reason': 'the test is over'}"));
    }
  }

  private String schedule(String name) {
    Answer created = tasker.post("/v1/schedules",
        TaskerClient.quoted("{'namespace': 'testing', 'name': '" + name + "', 'template': 'hello', "
            + "'context': {'who': 'ann'}, 'every_seconds': 2, 'overlap': 'allow'}"));
    assertThat(created.status()).as(created::body).isEqualTo(201);
    return created.text("schedule_uuid");
  }

  private long fires(String schedule, String outcome) {
    return tasker.count("select count(*) from tasker.schedule_fires "
        + "where schedule_uuid = ?::uuid and outcome = ?", schedule, outcome);
  }

  @Test
  void a_task_from_sql_that_the_database_gives_up_on_is_set_aside_and_holds_up_no_other() {
    givesUp("before update on tasker.tasks for each row "
        + "when (old.initiator = 'give-up' and new.state <> old.state)");
    String submit = "select tasker.submit_task('testing', 'checked_hello', '1.0.0', "
        + "'{\"who\": \"sql\"}', jsonb_build_object('initiator', ?::text))";
    UUID noisy;
    try {
      noisy = (UUID) tasker.value(submit, "give-up");
      for (int n = 0; n < 20; n++) {
        UUID other = (UUID) tasker.value(submit, "beside");
        assertThat(tasker.awaitTerminalOrBlocked(other).getString("state")).isEqualTo("complete");
      }
      TaskerClient.until("its fault is recorded", Duration.ofSeconds(30), () -> tasker.count(
          "select count(*) from tasker.task_faults where task_uuid = ? and sqlstate = '57014'",
          noisy) == 1);
    } finally {
      goesOn();
    }
    tasker.sql("update tasker.task_wakeups set wake_at = clock_timestamp() where task_uuid = ?",
        noisy);
    assertThat(tasker.awaitTerminalOrBlocked(noisy, Duration.ofSeconds(90)).getString("state"))
        .isEqualTo("complete");
  }

  /**
   * A trigger stands for a statement that takes too long or too much memory: PostgreSQL ends it
   * with the same SQLSTATE.
   */
  private void givesUp(String when) {
    tasker.sql("""
        create function testing.give_up() returns trigger language plpgsql as $$
        begin
          raise exception 'canceling statement due to user request' using errcode = '57014';
        end $$""");
    tasker.sql("create trigger gives_up " + when + " execute function testing.give_up()");
  }

  private void goesOn() {
    tasker.sql("drop function testing.give_up cascade");
  }

  @Test
  void a_result_that_the_database_gives_up_on_is_parked_and_holds_up_no_other() {
    givesUp("before insert on tasker.workflow_step_result_audit for each row "
        + "when (new.result ->> 'n' = '57014')");
    try {
      UUID noisy = tasker.submit("hello", "{\"n\": 57014}");
      List<UUID> others = IntStream.range(0, 20)
          .mapToObj(n -> tasker.submit("hello", "{\"n\": " + n + "}")).toList();

      for (UUID other : others) {
        assertThat(tasker.awaitTerminalOrBlocked(other).getString("state")).isEqualTo("complete");
      }
      assertThat(tasker.awaitTerminalOrBlocked(noisy, Duration.ofSeconds(30)).getString("state"))
          .isEqualTo("blocked_by_failures");
      assertThat(tasker
          .sql(
              """
          select r.error ->> 'type' as type, r.error ->> 'message' as message, s.attempts
          from tasker.workflow_step_result_audit r join tasker.workflow_steps s using (workflow_step_uuid) where r.task_uuid = ?""",
              noisy)
          .toString())
          .contains("result_not_storable", "the database gave up on it 5 times", "attempts=1");
    } finally {
      goesOn();
    }
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Test
  void an_operator_does_not_wait_behind_a_call_that_holds_the_task() throws SQLException {
    UUID task = tasker.submit("retry_later", "{}");
    TaskerClient.until("the step waits for its retry", Duration.ofSeconds(20),
        () -> tasker.get("/v1/tasks/" + task).text("state").equals("waiting_for_retry"));
    try (Connection call = tasker.connect()) {
      call.setAutoCommit(false);
      TaskerClient.sql(call, "select task_uuid from tasker.tasks where task_uuid = ? for update",
          task);

      long begin = System.nanoTime();
      Answer cancelled = tasker.delete("/v1/tasks/" + task);

      assertThat(cancelled.status()).as(cancelled::body).isEqualTo(503);
      assertThat(cancelled.text("detail")).startsWith("another call works on the same task");
      assertThat(cancelled.header("Retry-After")).isNotNull();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
      call.rollback();
    }
    assertThat(tasker.delete("/v1/tasks/" + task).status()).isLessThan(300);
  }

  private long cutAllConnections() {
    return tasker
        .count(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name in ('tasker-ee', 'tasker-listener')");
  }

  private String health() {
    return tasker.get("/health/ready").body();
  }

  private int occurrences(String event) {
    return server.log().split(event, -1).length - 1;
  }
}
