package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Consumers that are sent every event: by one server at a time, nothing left out, and the clean-up
 * waits for them within bounds.
 */
@DatabaseTest
@DatabaseTest.Covers({"claim_event_consumer", "record_event_delivery", "get_event_floor",
  "get_consumer_figures", "purge_tasks",
  "preview_retention"})
class EventConsumersTest {
  private static final UUID ONE = UUID.fromString("00000000-0000-4000-8000-000000000001");
  private static final UUID TWO = UUID.fromString("00000000-0000-4000-8000-000000000002");
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private final Instant start = Instant.now();

  private Dag.Task published() {
    Dag.Task task = Dag.of("a").publishes("[{\"name\": \"order.paid\"}]").started();
    worker.complete(worker.claimOne().success("1"));
    return task;
  }

  private JsonObject claim(UUID server, Duration after) {
    return claim(sql, server, after);
  }

  private JsonObject claim(Sql session, UUID server, Duration after) {
    return session.object("select tasker.claim_event_consumer('topic', ?, 30, 2, ?)", server,
        start.plus(after));
  }

  private String record(UUID server, long position, String failure, Duration after) {
    return sql
        .object("select tasker.record_event_delivery('topic', ?, ?, ?, ?)", server, position,
            failure, start.plus(after))
        .getString("outcome");
  }

  private static List<String> tasks(JsonObject claimed) {
    return claimed.getJsonArray("events").getValuesAs(JsonObject.class).stream()
        .map(event -> event.getString("subject")).toList();
  }

  private static long position(JsonObject claimed) {
    return claimed.getJsonNumber("position").longValueExact();
  }

  @Test
  void a_new_consumer_begins_at_the_end_and_gets_each_later_event_in_order() {
    published();
    assertThat(tasks(claim(ONE, Duration.ZERO))).isEmpty();
    Dag.Task first = published();
    Dag.Task second = published();
    Dag.Task third = published();

    JsonObject page = claim(ONE, Duration.ZERO);
    assertThat(tasks(page)).containsExactly(first.uuid().toString(), second.uuid().toString());
    assertThat(page.isNull("next")).isFalse();
    assertThat(tasks(claim(ONE, Duration.ZERO))).as("not recorded as sent").isEqualTo(tasks(page));
    assertThat(record(ONE, position(page), null, Duration.ZERO)).isEqualTo("done");
    page = claim(ONE, Duration.ZERO);
    assertThat(tasks(page)).containsExactly(third.uuid().toString());
    assertThat(page.isNull("next")).isTrue();
  }

  @Test
  void figures_tell_how_long_a_consumer_has_waited_and_how_often_it_has_failed() {
    published();
    claim(ONE, Duration.ZERO);
    assertThat(figures(Duration.ofSeconds(40))).isEqualTo("topic 0 0");
    published();
    claim(ONE, Duration.ofSeconds(5));
    record(ONE, 0, "the broker is away", Duration.ofSeconds(6));
    assertThat(figures(Duration.ofSeconds(40))).startsWith("topic 1 ").isNotEqualTo("topic 1 0");
  }

  private String figures(Duration after) {
    JsonObject figures = sql.array("select tasker.get_consumer_figures(?)", start.plus(after))
        .getJsonObject(0);
    return figures.getString("consumer") + " " + figures.getInt("failures") + " "
        + figures.getJsonNumber("waiting_seconds").longValue();
  }

  @Test
  void one_server_sends_and_another_takes_over_when_the_lease_has_run_out() {
    claim(ONE, Duration.ZERO);
    Dag.Task task = published();
    JsonObject sending = claim(ONE, Duration.ofSeconds(1));
    assertThat(claim(TWO, Duration.ofSeconds(2)).getString("outcome")).isEqualTo("held");

    JsonObject taken = claim(TWO, Duration.ofSeconds(32));

    assertThat(tasks(taken)).as("sent again, not left out").containsExactly(task.uuid().toString());
    assertThat(record(ONE, position(sending), null, Duration.ofSeconds(33))).isEqualTo("lost");
    assertThat(record(TWO, position(taken), null, Duration.ofSeconds(33))).isEqualTo("done");
    assertThat(claim(ONE, Duration.ofSeconds(34)).getString("outcome")).isEqualTo("held");
    assertThat(record(TWO, 0, null, Duration.ofSeconds(34))).isEqualTo("done");
    assertThat(sql.number("select position from tasker.event_consumers")).as("never backwards")
        .isEqualTo(position(taken));
  }

  @Test
  void two_servers_that_claim_at_once_do_not_both_get_it() {
    claim(ONE, Duration.ZERO);
    sql.run("update tasker.event_consumers set holder_uuid = null, lease_until = null");
    try (Sql session = Sql.session()) {
      assertThat(claim(session, ONE, Duration.ZERO).getString("outcome")).isEqualTo("claimed");
      assertThat(claim(TWO, Duration.ZERO).getString("outcome")).isEqualTo("held");
      session.commit();
    }
    assertThat(claim(TWO, Duration.ZERO).getString("outcome")).isEqualTo("held");
  }

  @Test
  void a_failure_backs_off_for_every_server_and_a_success_ends_it() {
    claim(ONE, Duration.ZERO);
    Dag.Task task = published();
    claim(ONE, Duration.ZERO);
    assertThat(record(ONE, 0, "no broker", Duration.ZERO)).isEqualTo("done");
    assertThat(sql.text("select failures || ' ' || last_failure from tasker.event_consumers"))
        .isEqualTo("1 no broker");
    assertThat(claim(TWO, Duration.ofMillis(1_900)).getString("outcome")).isEqualTo("waiting");
    assertThat(claim(TWO, Duration.ofMillis(2_100)).getInt("failures")).isEqualTo(1);
    for (int i = 0; i < 9; i++) {
      sql.run("update tasker.event_consumers set retry_at = now()");
      claim(TWO, Duration.ofSeconds(3));
      record(TWO, 0, "no broker", Duration.ofSeconds(3));
    }
    assertThat(claim(ONE, Duration.ofSeconds(62)).getString("outcome")).isEqualTo("waiting");
    JsonObject page = claim(ONE, Duration.ofSeconds(64));
    assertThat(tasks(page)).containsExactly(task.uuid().toString());
    record(ONE, position(page), null, Duration.ofSeconds(64));
    assertThat(sql.number("select failures from tasker.event_consumers")).isZero();
  }

  @Test
  void a_task_stays_until_its_events_are_sent_and_no_longer_than_a_week_after_the_last_progress() {
    assertThat(sql.text("select tasker.get_event_floor()")).isNull();
    claim(ONE, Duration.ZERO);
    Dag.Task waiting = published();
    sql.text("select tasker.roll_up_analytics()");
    sql.text(
        "select tasker.set_retention_policy('orders', null, null, 0, 'ann', 'the law says so')");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(array[?]))", waiting.uuid()))
        .as("without a position").isEmpty();
    JsonObject page = claim(ONE, Duration.ZERO);
    assertThat(sql.texts("select unnest(tasker.purge_tasks(array[?]))", waiting.uuid()))
        .as("not sent").isEmpty();
    assertThat(sql.number(
        "select retained from tasker.preview_retention(p_now => now() + interval '1 hour')"))
        .isEqualTo(1);
    assertThat(sql.text("select tasker.get_event_floor(now() + interval '8 days')")).isNull();

    record(ONE, position(page), null, Duration.ZERO);
    assertThat(sql.texts("select unnest(tasker.purge_tasks(array[?]))", waiting.uuid())).hasSize(1);

    Dag.Task late = published();
    sql.text("select tasker.roll_up_analytics()");
    sql.run("update tasker.event_consumers set progressed_at = now() - interval '8 days'");
    assertThat(sql.texts("select unnest(tasker.purge_tasks(array[?]))", late.uuid())).hasSize(1);
    assertThatHistoryIsSound();
  }
}
