package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"pgmq_send_with_notify", "pgmq_read_specific_message",
  "pgmq_ensure_headers_column", "ensure_task_queue",
  "get_queue_statistics",
  "get_queue_documents", "replay_dead_message"})
class QueuesTest {
  private final Sql sql = Sql.open();

  @Test
  void a_message_that_was_announced_is_read_by_one_reader() {
    sql.text("select tasker.ensure_task_queue('worker_mail_queue')");
    long id = sql.number("select tasker.pgmq_send_with_notify('worker_mail_queue', '{\"x\": 1}')");
    String read = "select concat_ws(' ', msg_id, read_ct, message) from tasker.pgmq_read_specific_message('worker_mail_queue', ?, 30)";
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(first.text(read, id)).isEqualTo(id + " 1 {\"x\": 1}");
      assertThat(second.text(read, id)).isNull();
      first.commit();
      assertThat(second.text(read, id)).isNull();
    }
    assertThat(sql.text(read, id + 1)).isNull();
  }

  @Test
  void a_notification_goes_to_the_namespace_and_to_all_at_commit() throws Exception {
    sql.text("select tasker.ensure_task_queue('worker_mail_queue')");
    try (java.sql.Connection listener = ee.tasker.testing.TestDatabase.get().connect();
        java.sql.Statement listen = listener.createStatement()) {
      listen.execute("listen \"pgmq_message_ready.mail\"");
      listen.execute("listen pgmq_message_ready");
      try (Sql sender = Sql.session()) {
        sender.text("select tasker.pgmq_send_with_notify('worker_mail_queue', '{}', 5)");
        sender.commit();
      }
      org.postgresql.PGNotification[] heard = listener.unwrap(org.postgresql.PGConnection.class)
          .getNotifications(5000);
      assertThat(heard).extracting(org.postgresql.PGNotification::getName)
          .contains("pgmq_message_ready.mail");
      assertThat(heard[0].getParameter()).contains("\"namespace\" : \"mail\"")
          .contains("\"delay_seconds\" : 5");
    }
  }

  @Test
  void a_delayed_message_is_not_read_before_its_time() {
    sql.text("select tasker.ensure_task_queue('worker_mail_queue')");
    long id = sql.number("select tasker.pgmq_send_with_notify('worker_mail_queue', '{}', 100)");
    assertThat(
        sql.rows("select * from tasker.pgmq_read_specific_message('worker_mail_queue', ?)", id))
        .isEmpty();
  }

  @Test
  void document_says_what_can_be_read_what_not_and_what_is_parked() {
    sql.text("select tasker.ensure_task_queue('worker_mail_queue')");
    long before = mail().getJsonNumber("total_messages").longValue();
    for (int i = 0; i < 3; i++) {
      sql.number("select tasker.pgmq_send_with_notify('worker_mail_queue', '{}')");
    }
    sql.number("select tasker.pgmq_send_with_notify('worker_mail_queue', '{}', 100)");
    long taken = sql.number("select msg_id from pgmq.read('worker_mail_queue', 30, 1)");
    long parked = sql.number("select msg_id from pgmq.read('worker_mail_queue', 30, 1)");
    sql.text(
        "select tasker.park_messages('worker_mail_queue', array[?::bigint], 'XX000', 'as the test wants it')",
        parked);

    JsonObject mail = mail();

    assertThat(taken).isNotEqualTo(parked);
    assertThat(mail.getInt("queue_length")).isEqualTo(3);
    assertThat(mail.getInt("visible")).isEqualTo(1);
    assertThat(mail.getInt("invisible")).isEqualTo(2);
    assertThat(mail.getJsonNumber("total_messages").longValue()).isEqualTo(before + 4);
    assertThat(mail.getInt("parked")).isEqualTo(1);
    assertThat(mail.getString("parked_since")).isNotEmpty();
    assertThat(mail.getInt("oldest_msg_age_seconds"))
        .isEqualTo(sql.number(
            "select oldest_msg_age_seconds from tasker.get_queue_statistics('worker_mail_queue')")
            .intValue());
    sql.text(
        "select tasker.replay_dead_message(dead_message_uuid, 'ann') from tasker.dead_messages");
    assertThat(mail().getInt("parked")).isZero();
  }

  private JsonObject mail() {
    return sql.array("select tasker.get_queue_documents() -> 'queues'")
        .getValuesAs(JsonObject.class).stream()
        .filter(queue -> queue.getString("queue_name").equals("worker_mail_queue")).findFirst()
        .orElseThrow();
  }

  @Test
  void names_that_cannot_be_queues_are_refused() {
    for (String name : new String[]{"a; drop table x", "", "x".repeat(48), "no_such_queue"}) {
      assertThatDatabaseRefuses("TK007",
          () -> sql.text("select tasker.pgmq_send_with_notify(?, '{}')", name));
      assertThatDatabaseRefuses("TK007",
          () -> sql.text("select * from tasker.pgmq_read_specific_message(?, 1)", name));
    }
    assertThatDatabaseRefuses("TK007", () -> sql.text("select tasker.ensure_task_queue('a-b')"));
    assertThatDatabaseRefuses("TK007", () -> sql.text("select tasker.ensure_task_queue(null)"));
  }

  @Test
  void a_queue_of_an_older_pgmq_gets_its_headers() {
    sql.run("select pgmq.create('worker_older_queue')");
    sql.run("alter table pgmq.q_worker_older_queue drop column headers");
    sql.run("alter table pgmq.a_worker_older_queue drop column headers");

    assertThat(sql.isTrue("select tasker.ensure_task_queue('worker_older_queue')")).isTrue();
    assertThat(sql
        .number("select count(*) from pg_attribute where attname = 'headers' and not attisdropped "
            + "and attrelid in ('pgmq.q_worker_older_queue'::regclass, 'pgmq.a_worker_older_queue'::regclass)"))
        .isEqualTo(2);
    sql.text("select tasker.pgmq_ensure_headers_column('worker_older_queue')");
    sql.text("select tasker.pgmq_ensure_headers_column('nowhere')");
    assertThatDatabaseRefuses("TK007",
        () -> sql.text("select tasker.pgmq_ensure_headers_column('a-b')"));
  }

  @Test
  void a_queue_is_made_once_and_has_statistics() {
    assertThat(sql.isTrue("select tasker.ensure_task_queue('worker_stats_queue')")).isTrue();
    assertThat(sql.isTrue("select tasker.ensure_task_queue('worker_stats_queue')")).isTrue();
    sql.text("select pgmq.send('worker_stats_queue', '{}'::jsonb)");
    assertThat(sql.text(
        "select queue_name || ' ' || queue_length from tasker.get_queue_statistics('worker_stats_queue')"))
        .isEqualTo("worker_stats_queue 1");
    assertThat(sql.rows("select * from tasker.get_queue_statistics('nowhere')")).isEmpty();
  }
}
