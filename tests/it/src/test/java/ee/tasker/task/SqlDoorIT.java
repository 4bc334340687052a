package ee.tasker.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tasks that no server was asked for: made in SQL, or left as a message. */
@AgainstServer
class SqlDoorIT {
  private final TaskerClient tasker;
  private final String own = UUID.randomUUID().toString();

  SqlDoorIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void task_made_in_sql_is_run() {
    UUID task = (UUID) tasker
        .value("select tasker.submit_task('testing', 'hello', '1.0.0', '{\"who\": \"sql\"}')");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).get("say").getJsonObject("result").getString("who"))
        .isEqualTo("sql");
  }

  @Test
  void tasks_made_in_sql_do_not_wait_for_the_poller() {
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      long begin = System.nanoTime();
      tasker.awaitTerminalOrBlocked(
          (UUID) tasker.value("select tasker.submit_task('testing', 'hello', '1.0.0')"));
      took.add(Duration.ofNanos(System.nanoTime() - begin));
    }

    // The poller of this server runs every five seconds: all but the first, which are sent when one
    // before was found, would wait that long for it.
    assertThat(took.subList(1, 6))
        .anySatisfy(time -> assertThat(time).isLessThan(Duration.ofSeconds(3)));
  }

  @Test
  void task_made_in_sql_is_there_only_if_its_transaction_commits() throws Exception {
    UUID rolledBack;
    UUID committed;
    try (Connection connection = tasker.connect()) {
      connection.setAutoCommit(false);
      rolledBack = (UUID) TaskerClient
          .sql(connection, "select tasker.submit_task('testing', 'hello', '1.0.0') as uuid").get(0)
          .get("uuid");
      connection.rollback();
      committed = (UUID) TaskerClient
          .sql(connection, "select tasker.submit_task('testing', 'hello', '1.0.0') as uuid").get(0)
          .get("uuid");
      assertThat(tasker.get("/v1/tasks/" + committed).status()).isEqualTo(404);
      connection.commit();
    }

    assertThat(tasker.awaitTerminalOrBlocked(committed).getString("state")).isEqualTo("complete");
    assertThat(tasker.get("/v1/tasks/" + rolledBack).status()).isEqualTo(404);
  }

  @Test
  void context_that_fits_its_schema_is_found_to_and_the_task_is_run() {
    UUID task = (UUID) tasker.value(
        "select tasker.submit_task('testing', 'checked_hello', '1.0.0', '{\"who\": \"sql\", \"times\": 2}')");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
  }

  @Test
  void context_that_does_not_fit_its_schema_ends_in_error_and_history_says_why() {
    UUID task = (UUID) tasker
        .value("select tasker.submit_task('testing', 'checked_hello', '1.0.0', '{\"who\": 7}')");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("error");
    JsonObject why = tasker.jsonOf(
        "select metadata from tasker.task_transitions where task_uuid = ? and to_state = 'error'",
        task);
    assertThat(why.getString("reason")).isEqualTo("context_violates_input_schema");
    assertThat(why.getJsonArray("violations").getJsonObject(0).getString("field"))
        .isEqualTo("context/who");
    assertThat(tasker.steps(task).get("say").getInt("attempts")).isZero();
    assertThat(tasker.count("select count(*) from tasker.task_wakeups where task_uuid = ?", task))
        .isZero();
  }

  /** As another server would register it: this one knows of it when the database says so. */
  @Test
  void request_without_a_version_is_for_the_latest_one_that_anyone_has_registered() {
    String name = "renewed_" + own.substring(0, 8);
    String request = TaskerClient.quoted(
        "{'namespace': 'testing', 'name': '" + name + "', 'context': {'who': 'me', 'old': 1}}");
    register(name, "1.0.0", "old");
    for (int i = 0; i < 3; i++) {
      assertThat(tasker.post("/v1/tasks", request).object().getString("version"))
          .isEqualTo("1.0.0");
    }

    register(name, "2.0.0", "who");
    assertThat(tasker.post("/v1/tasks?wait=20", request).object().getString("version"))
        .isEqualTo("2.0.0");
    register(name, "2.1.0", "who");
    assertThat(tasker.post("/v1/tasks:batch", "[" + request + ", " + request + "]").object()
        .getJsonArray("verdicts").toString()).contains("2.1.0").doesNotContain("2.0.0");
    register(name, "3.0.0", "more");
    Answer refused = tasker.post("/v1/tasks", request);
    assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
    assertThat(refused.object().getString("code")).isEqualTo("invalid-context");
    assertThat(tasker.count(
        "select count(*) from tasker.tasks join tasker.named_tasks using (named_task_uuid) where name = ?",
        name))
        .isEqualTo(6);
  }

  private void register(String name, String version, String required) {
    tasker.value("select tasker.register_template(configuration || jsonb_build_object("
        + "'name', ?, 'version', ?, 'content_hash', ?, 'input_schema', jsonb_build_object("
        + "'type', 'object', 'required', jsonb_build_array(?))))::text "
        + "from tasker.named_tasks where name = 'checked_hello'", name, version, version, required);
  }

  @Test
  void sql_refuses_what_rest_refuses() {
    assertThatThrownBy(
        () -> tasker.value("select tasker.submit_task('testing', 'nobody_knows', '1.0.0')"))
        .hasStackTraceContaining("there is no template");
    assertThatThrownBy(() -> tasker
        .value("select tasker.submit_task('testing', 'hello', '1.0.0', '{}', '{\"colour\": 1}')"))
        .hasStackTraceContaining("unknown option: colour");
    tasker.value(
        "select tasker.submit_task('testing', 'strict_hello', '1.0.0', jsonb_build_object('own', ?))",
        own);
    assertThatThrownBy(
        () -> tasker.value(
            "select tasker.submit_task('testing', 'strict_hello', '1.0.0', jsonb_build_object('own', ?))",
            own))
        .hasStackTraceContaining("the same request is already task");
  }

  @Test
  void context_that_no_worker_could_read_is_refused() {
    assertThatThrownBy(() -> tasker
        .value(
            "select tasker.submit_task('testing', 'hello', '1.0.0', ('{\"a\": ' || repeat('[', 64) || repeat(']', 64) || '}')::jsonb)"))
        .hasStackTraceContaining("must not be nested more than 64 deep");
    UUID allowed = (UUID) tasker
        .value(
            "select tasker.submit_task('testing', 'hello', '1.0.0', ('{\"a\": ' || repeat('[', 63) || repeat(']', 63) || '}')::jsonb)");

    assertThat(tasker.awaitTerminalOrBlocked(allowed).getString("state")).isEqualTo("complete");
  }

  @Test
  void number_of_more_digits_than_a_reader_takes_is_refused() {
    String submission = "select tasker.submit_task('testing', 'hello', '1.0.0', jsonb_build_object('n', %s::numeric))";

    for (String number : List.of("repeat('9', 20000)", "'1e1000'", "'1e-1001'")) {
      assertThatThrownBy(() -> tasker.value(String.format(Locale.ROOT, submission, number)))
          .hasMessageContaining(
              "context must not contain numbers of more than 1000 digits before or after the point");
    }
    assertThat(tasker
        .awaitTerminalOrBlocked(
            (UUID) tasker.value(String.format(Locale.ROOT, submission, "'1e999'")))
        .getString("state"))
        .isEqualTo("complete");
  }

  @Test
  void message_on_the_request_queue_becomes_a_task() {
    send(TaskerClient.taskRequest("testing", "hello", "{'own': '" + own + "'}"));

    UUID task = awaitTask();
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    awaitNoRequests();
    assertThat(refused()).isZero();
  }

  @Test
  void message_may_wrap_its_request() {
    send("{\"message_id\": \"m1\", \"task_request\": "
        + TaskerClient.taskRequest("testing", "hello", "{'own': '" + own + "'}") + "}");

    assertThat(tasker.awaitTerminalOrBlocked(awaitTask()).getString("state")).isEqualTo("complete");
  }

  @Test
  void message_that_is_no_good_is_set_aside_with_the_reason_and_the_others_are_taken() {
    send(TaskerClient.quoted("{'namespace': 'testing', 'name': 'hello', 'own': '" + own + "'}"));
    send(TaskerClient.taskRequest("testing", "nobody_knows", "{'own': '" + own + "'}"));
    send(TaskerClient.taskRequest("testing", "checked_hello", "{'own': '" + own + "'}"));
    send("[\"" + own + "\"]");
    send(TaskerClient.taskRequest("testing", "keyed_hello", "{'own': '" + own + "'}"));
    send(TaskerClient.taskRequest("testing", "hello", "{'own': '" + own + "'}"));

    assertThat(tasker.awaitTerminalOrBlocked(awaitTask()).getString("state")).isEqualTo("complete");
    awaitNoRequests();
    assertThat(tasker.sql(
        "select message #>> '{problem,code}' as code from pgmq.q_orchestration_task_requests_refused where message::text like ? order by msg_id",
        "%" + own + "%"))
        .extracting(row -> row.get("code"))
        .containsExactly("invalid-request", "unknown-template", "invalid-context",
            "invalid-request", "invalid-request");
    tasker.sql("delete from pgmq.q_orchestration_task_requests_refused where message::text like ?",
        "%" + own + "%");
  }

  @Test
  void message_that_the_database_raises_an_error_for_does_not_hold_back_those_it_came_with() {
    tasker.sql(
        "create or replace function testing.refuse_data() returns trigger language plpgsql as $$ begin raise exception 'not such data' using errcode = '22023'; end $$");
    tasker.sql(
        "create trigger no_such_data before insert on tasker.tasks for each row when (new.reason = '"
            + own
            + "') execute function testing.refuse_data()");
    try {
      String request = TaskerClient.taskRequest("testing", "hello", "{'own': '" + own + "'}");
      String poison = request.substring(0, request.lastIndexOf('}')) + ", \"reason\": \"" + own
          + "\"}";
      tasker.sql(
          "select pgmq.send_batch('orchestration_task_requests', array[?::jsonb, ?::jsonb, ?::jsonb]), pg_notify('pgmq_message_ready', '{}')",
          poison, request, poison);

      assertThat(tasker.awaitTerminalOrBlocked(awaitTask()).getString("state"))
          .isEqualTo("complete");
      awaitNoRequests();
      assertThat(tasker.sql(
          "select message #>> '{problem,code}' as code, message #>> '{problem,detail}' as detail from pgmq.q_orchestration_task_requests_refused "
              + "where message::text like ?",
          "%" + own + "%")).hasSize(2).allSatisfy(row -> {
            assertThat(row.get("code")).isEqualTo("cannot-be-processed");
            assertThat(row.get("detail").toString()).startsWith("22");
          });
      tasker.sql(
          "delete from pgmq.q_orchestration_task_requests_refused where message::text like ?",
          "%" + own + "%");
    } finally {
      tasker.sql("drop trigger no_such_data on tasker.tasks");
    }
  }

  @Test
  void message_whose_fault_is_not_in_its_data_comes_again_until_the_delivery_limit() {
    tasker.sql(
        "create or replace function testing.refuse() returns trigger language plpgsql as $$ begin raise exception 'not today'; end $$");
    tasker.sql(
        "create trigger not_today before insert on tasker.tasks for each row when (new.reason = '"
            + own
            + "') execute function testing.refuse()");
    try {
      String request = TaskerClient.taskRequest("testing", "hello", "{'own': '" + own + "'}");
      send(request.substring(0, request.lastIndexOf('}')) + ", \"reason\": \"" + own + "\"}");
      String delivered = "select count(*) from pgmq.q_orchestration_task_requests where message::text like ? and read_ct >= ?";
      TaskerClient.until("it was delivered", Duration.ofSeconds(20),
          () -> tasker.count(delivered, "%" + own + "%", 1) == 1);
      assertThat(refused()).isZero();

      // As if it had come four times; the next is the fifth.
      tasker.sql(
          "update pgmq.q_orchestration_task_requests set read_ct = 4, vt = clock_timestamp() where message::text like ?",
          "%" + own + "%");
      tasker.sql("select pg_notify('pgmq_message_ready', '{}')");
      awaitNoRequests();
      assertThat(tasker.value(
          "select concat_ws(' ', message #>> '{problem,code}', message #>> '{problem,detail}') from pgmq.q_orchestration_task_requests_refused "
              + "where message::text like ?",
          "%" + own + "%")).isEqualTo("cannot-be-processed P0001 not today");
    } finally {
      tasker.sql("drop trigger not_today on tasker.tasks");
      tasker.sql(
          "delete from pgmq.q_orchestration_task_requests_refused where message::text like ?",
          "%" + own + "%");
    }
  }

  @Test
  void message_sent_twice_makes_one_task() {
    String request = TaskerClient.taskRequest("testing", "strict_hello", "{'own': '" + own + "'}");
    send(request);
    tasker.awaitTerminalOrBlocked(awaitTask());
    send(request);
    awaitNoRequests();

    assertThat(
        tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?", own))
        .isEqualTo(1);
    assertThat(refused()).isZero();
  }

  @Test
  void message_without_a_notification_is_found_by_the_poller() {
    tasker.sql("select pgmq.send('orchestration_task_requests', ?::jsonb)",
        TaskerClient.taskRequest("testing", "hello", "{'own': '" + own + "'}"));

    assertThat(tasker.awaitTerminalOrBlocked(awaitTask()).getString("state")).isEqualTo("complete");
  }

  @Test
  void notification_of_the_sender_spares_the_wait_for_the_poller() {
    List<Duration> took = new ArrayList<>();
    for (int message = 0; message < 4; message++) {
      long begin = System.nanoTime();
      send(TaskerClient.taskRequest("testing", "hello",
          "{'own': '" + own + "', 'message': " + message + "}"));
      long expected = message + 1;
      TaskerClient.until("the message became a task", Duration.ofSeconds(20),
          () -> tasker.count(
              "select count(*) from tasker.task_contexts where context ->> 'own' = ?",
              own) == expected);
      took.add(Duration.ofNanos(System.nanoTime() - begin));
    }

    // The poller of this server runs every five seconds: all but the first would wait that long for
    // it.
    assertThat(took.subList(1, 4))
        .anySatisfy(time -> assertThat(time).isLessThan(Duration.ofSeconds(3)));
  }

  /**
   * With the notification that pgmq_send_with_notify makes, so that no test waits for the poller.
   */
  private void send(String message) {
    tasker.sql(
        "select pgmq.send('orchestration_task_requests', ?::jsonb), pg_notify('pgmq_message_ready', '{}')",
        message);
  }

  private UUID awaitTask() {
    String query = "select task_uuid from tasker.task_contexts where context ->> 'own' = ?";
    TaskerClient.until("the message became a task", Duration.ofSeconds(20),
        () -> !tasker.sql(query, own).isEmpty());
    return (UUID) tasker.value(query, own);
  }

  private void awaitNoRequests() {
    TaskerClient.until("the queue is empty", Duration.ofSeconds(20),
        () -> tasker.count("select count(*) from pgmq.q_orchestration_task_requests") == 0);
  }

  private long refused() {
    return tasker.count(
        "select count(*) from pgmq.q_orchestration_task_requests_refused where message::text like ?",
        "%" + own + "%");
  }
}
