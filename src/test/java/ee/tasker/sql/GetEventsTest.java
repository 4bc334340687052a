package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The end of history, read so that nothing is missed and nothing read twice, for any order of
 * commits.
 */
@DatabaseTest
@DatabaseTest.Covers("summarize_history")
class GetEventsTest {
  private static final String TASKS_KEY = "task_uuid || ' ' || sort_key";

  private final Sql sql = Sql.open();
  private final List<String> told = new ArrayList<>();
  private long bound = sql.object("select tasker.get_events(0, 0)").getJsonNumber("bound")
      .longValue();

  @Test
  void every_move_is_one_event_with_its_details() {
    UUID task = Dag.linear(2).started().uuid();
    settle();
    read();

    assertThat(told).isEqualTo(history(task));
    JsonObject event = sql.object(
        "select tasker.get_events(0, null, null, null, null, array[?]) -> 'events' -> -1", task);
    assertThat(event.getString("event")).isEqualTo("step");
    assertThat(event.getJsonObject("data").getString("task_uuid")).isEqualTo(task.toString());
    assertThat(event.getJsonObject("data").getString("to_state")).isEqualTo("enqueued");
    assertThat(event.getJsonObject("data").getInt("attempt")).isEqualTo(1);
    read();
    assertThat(told).as("nothing new").isEqualTo(history(task));
  }

  @Test
  void a_late_commit_is_sent_late_and_not_left_out() {
    Sql early = Sql.session();
    UUID late = UUID.fromString(early.text("select " + submission()));
    // Later in time and in number, and committed first.
    UUID task = Dag.linear(1).started().uuid();

    read();
    assertThat(told).as("what comes after an open transaction waits for it").isEmpty();
    early.commit();
    settle();
    read();

    List<String> all = history(late);
    all.addAll(history(task));
    assertThat(told).containsExactlyInAnyOrderElementsOf(all).doesNotHaveDuplicates();
  }

  @Test
  void transaction_that_only_reads_holds_nothing_back() {
    Sql reader = Sql.session();
    reader.run("set transaction isolation level repeatable read");
    reader.number("select count(*) from tasker.tasks");
    UUID task = Dag.linear(1).started().uuid();

    settle();
    read();

    assertThat(told).isEqualTo(history(task));
    reader.rollback();
  }

  @Test
  void who_stopped_in_the_middle_goes_on_behind_any_event() {
    for (int i = 0; i < 3; i++) {
      Dag.linear(2).started(3);
    }
    settle();
    List<JsonObject> whole = events(sql.object("select tasker.get_events(?::bigint)", bound));

    assertThat(whole).hasSizeGreaterThan(50);
    for (int i = 0; i < whole.size(); i += 7) {
      String[] id = whole.get(i).getString("id").split("-", 4);
      String uuid = id[3].substring(0, 36);
      List<JsonObject> rest = events(sql.object(
          "select tasker.get_events(?::bigint, ?::bigint, timestamptz 'epoch' + ?::bigint * interval '1 microsecond', ?::uuid, ?::int)",
          Long.parseLong(id[0]), Long.parseLong(id[1]), Long.parseLong(id[2]), uuid,
          Integer.parseInt(id[3].substring(37))));
      assertThat(rest).isEqualTo(whole.subList(i + 1, whole.size()));
    }
  }

  @Test
  void reader_beside_eight_writers_of_random_length_gets_every_move_once() throws Exception {
    Dag dag = Dag.of("a").step("b").dependsOn("a");
    dag.started();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int seed = i;
      writers.add(CompletableFuture.runAsync(() -> write(new Random(seed))));
    }
    while (writers.stream().anyMatch(writer -> !writer.isDone())) {
      read();
    }
    for (CompletableFuture<Void> writer : writers) {
      writer.get(30, TimeUnit.SECONDS);
    }
    settle();
    read();

    List<String> all = sql.texts("select " + TASKS_KEY + " from tasker.task_transitions");
    all.addAll(sql.texts(
        "select workflow_step_uuid || ' ' || sort_key from tasker.workflow_step_transitions"));
    assertThat(all).hasSizeGreaterThan(500);
    assertThat(told).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(all);
  }

  private static void write(Random random) {
    try (Sql session = Sql.session()) {
      for (int i = 0; i < 25; i++) {
        for (int tasks = random.nextInt(3); tasks >= 0; tasks--) {
          session.text("select " + submission());
          session.text("select pg_sleep(?::float8)", random.nextInt(4) / 1000.0);
        }
        if (random.nextInt(10) == 0) {
          session.rollback();
        } else {
          session.commit();
        }
      }
    }
  }

  private static String submission() {
    Dag.Template template = Dag.linear(1).registered();
    return "tasker.submit_task('%s', '%s', '%s', '{}', '{\"context_checked\": true}')"
        .formatted(template.namespace(), template.name(), template.version());
  }

  @Test
  void summaries_can_be_made_at_any_time_without_waiting() {
    Dag.linear(2).started(5);
    Sql vacuum = Sql.session();
    vacuum
        .run("lock table tasker.step_moves_default in share update exclusive mode");

    assertThat(sql.number("select tasker.summarize_history()")).isNotNegative();
    vacuum.rollback();
    assertThat(sql.number("select tasker.summarize_history()")).isNotNegative();
  }

  @Test
  void ranges_of_history_get_a_summary_when_they_are_full_and_not_before() {
    String largest = "from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid "
        + "where i.inhparent = 'tasker.task_moves_xact_id_created_at_idx'::regclass order by pg_relation_size(x.indrelid) desc limit 1";
    Dag.linear(2).started(2500);

    sql.number("select tasker.summarize_history()");
    long pages = sql.number("select pg_relation_size(x.indrelid) / 8192 " + largest);
    String index = sql.text("select i.inhrelid::regclass::text " + largest);

    assertThat(pages).as("enough for a full range").isGreaterThan(16);
    assertThat(
        sql.number("select brin_summarize_range('" + index + "', " + (pages / 16 - 1) * 16 + ")"))
        .as("the last full one has one")
        .isZero();
    assertThat(sql.number("select tasker.summarize_history()")).as("nothing is left to do")
        .isZero();
    if (pages % 16 > 0) {
      assertThat(
          sql.number("select brin_summarize_range('" + index + "', " + pages / 16 * 16 + ")"))
          .as("the one that fills has none")
          .isOne();
    }
  }

  /** Until what began before is over: the database's own chores have transactions, too. */
  private void settle() {
    long horizon = sql.object("select tasker.get_events(0, 0)").getJsonNumber("horizon")
        .longValue();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (sql.object("select tasker.get_events(0, 0)").getJsonNumber("bound")
        .longValue() < horizon) {
      assertThat(System.nanoTime()).as("something holds back what was committed")
          .isLessThan(deadline);
    }
  }

  private void read() {
    JsonObject reply = sql.object("select tasker.get_events(?::bigint)", bound);
    bound = reply.getJsonNumber("until").longValue();
    events(reply).forEach(event -> {
      JsonObject data = event.getJsonObject("data");
      told.add(data.getString("step".equals(event.getString("event")) ? "step_uuid" : "task_uuid")
          + " " + data.getInt("sort_key"));
    });
  }

  private static List<JsonObject> events(JsonObject reply) {
    return reply.getJsonArray("events").getValuesAs(JsonObject.class);
  }

  /** In the order in which it is told. */
  private List<String> history(UUID task) {
    return sql.texts("select uuid || ' ' || sort_key from ("
        + "select task_uuid as uuid, sort_key, created_at from tasker.task_transitions where task_uuid = ? union all "
        + "select workflow_step_uuid, sort_key, created_at from tasker.workflow_step_transitions where task_uuid = ?) h order by created_at, uuid, sort_key",
        task, task);
  }
}
