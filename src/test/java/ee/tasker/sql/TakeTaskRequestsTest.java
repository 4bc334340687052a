package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers("finish_task_requests")
class TakeTaskRequestsTest {
  private static final String QUEUED = "select message ->> 'n' from pgmq.q_orchestration_task_requests order by msg_id";

  private final Sql sql = Sql.open();

  private void send(int... numbers) {
    for (int number : numbers) {
      sql.text("select pgmq.send('orchestration_task_requests', jsonb_build_object('n', ?::int))",
          number);
    }
  }

  private static List<JsonObject> take(Sql session, int limit) {
    return session.array("select tasker.take_task_requests(?)", limit)
        .getValuesAs(JsonObject.class);
  }

  private static List<Integer> numbers(List<JsonObject> messages) {
    return messages.stream().map(message -> message.getJsonObject("message").getInt("n")).toList();
  }

  private static JsonArray ids(List<JsonObject> messages) {
    return Json
        .createArrayBuilder(messages.stream().map(message -> message.getInt("msg_id")).toList())
        .build();
  }

  @Test
  void the_oldest_come_first_up_to_the_limit_and_two_sessions_take_different_ones() {
    send(1, 2, 3);

    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(numbers(take(first, 2))).containsExactly(1, 2);
      assertThat(numbers(take(second, 2))).containsExactly(3);
    }
    assertThat(take(sql, 0)).isEmpty();
  }

  @Test
  void no_more_are_taken_than_a_server_can_hold_and_the_others_do_not_count_as_delivered() {
    // Random, so that it is stored as long as it is.
    sql.texts("""
        select pgmq.send('orchestration_task_requests', jsonb_build_object('n', n, 'text',
          (select string_agg(md5(random()::text || i), '') from generate_series(1, 50000) i)))::text
        from generate_series(1, 5) n""");

    assertThat(numbers(take(sql, 100))).containsExactly(1, 2, 3);

    assertThat(take(sql, 100)).extracting(message -> message.getInt("read_ct"))
        .containsExactly(1, 1);
  }

  @Test
  void a_request_that_was_not_finished_comes_again_and_counts_its_deliveries() {
    send(1);
    try (Sql crashed = Sql.session()) {
      assertThat(take(crashed, 1).get(0).getInt("read_ct")).isEqualTo(1);
      crashed.rollback();
    }

    assertThat(take(sql, 1)).extracting(message -> message.getInt("read_ct")).containsExactly(1);
    assertThat(take(sql, 1)).as("hidden for a minute").isEmpty();
    sql.run("update pgmq.q_orchestration_task_requests set vt = clock_timestamp()");
    assertThat(take(sql, 1)).extracting(message -> message.getInt("read_ct")).containsExactly(2);
  }

  @Test
  void what_is_finished_is_gone_and_what_was_refused_is_retained_with_its_problem() {
    send(1, 2, 3);
    List<JsonObject> taken = take(sql, 2);
    JsonObject refused = Json.createObjectBuilder(taken.get(1))
        .add("problem", Json.createObjectBuilder().add("code", "invalid-request"))
        .build();

    sql.run("select tasker.finish_task_requests(?, ?)", ids(taken),
        Json.createArrayBuilder().add(refused).build());

    assertThat(sql.texts(QUEUED)).containsExactly("3");
    assertThat(
        sql.texts("select message -> 'request' ->> 'n' || ' ' || (message -> 'problem' ->> 'code') "
            + "from pgmq.q_orchestration_task_requests_refused"))
        .containsExactly("2 invalid-request");
  }
}
