package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.EventClient;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streams at their limits, on two servers with little room. */
@Tag("long")
class EventLimitsIT {
  /**
   * In ten seconds: five heartbeats, what it takes to ask for this figure with the rights of who
   * asks, one or two looks for webhooks, and the four calls of retention, which come once a minute.
   * Reading for streams once a second would be ten more.
   */
  private static final long MOST_CALLS_ALONE = 15;
  private static final Duration WITHIN = Duration.ofSeconds(60);
  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TestServer other;
  private static TaskerClient tasker;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Map.of("TASKER_STREAMS_LIMIT", "2", "TASKER_STREAMS_BUFFER", "3000",
            "TASKER_STREAMS_HEARTBEAT_SECONDS", "1",
            "TASKER_POLL_INTERVAL_SECONDS", "0"));
    other = TestServer.start(database, Map.of());
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    other.close();
    server.close();
    database.close();
  }

  private static EventClient listen(TestServer to, String path, String lastId, int receiveBuffer) {
    return EventClient.open(to.base(), path, lastId, receiveBuffer);
  }

  @Test
  void one_stream_too_many_is_told_when_to_retry_and_is_accepted_when_another_has_ended() {
    try (EventClient first = awaitRoom(0); EventClient second = awaitRoom(0)) {
      // An accepted stream does not end: with a limit this test fails instead of waiting without
      // end.
      Answer third = tasker
          .sendLater(tasker.request("/v1/events")
              .setHeader("Accept", "text/event-stream, application/problem+json").GET())
          .orTimeout(30, TimeUnit.SECONDS).join();
      assertThat(third.status()).as(third.toString()).isEqualTo(503);
      assertThat(third.text("code")).isEqualTo("too-many-streams");
      assertThat(third.header("Retry-After")).isEqualTo("5");
    }
    TaskerClient.until("there is room again", WITHIN, () -> {
      try (EventClient next = listen(server, "/v1/events", null, 0)) {
        return next.status() == 200;
      }
    });
  }

  @Test
  void a_stream_that_takes_the_place_of_another_ends_it_and_needs_no_room() {
    String named = "/v1/events?stream_uuid=" + UUID.randomUUID();
    try (EventClient other = awaitRoom(0)) {
      EventClient current = awaitRoom(named, 0);
      for (int n = 0; n < 5; n++) {
        EventClient next = listen(server, named + "&kind=task", null, 0);
        assertThat(next.status()).as("stream %s in the same place", n).isEqualTo(200);
        assertThat(current.next()).isNull();
        assertThat(current.isEnded()).as("the one before stream %s", n).isTrue();
        current.close();
        current = next;
      }
      Answer third = tasker.sendLater(tasker.request("/v1/events?stream_uuid=" + UUID.randomUUID())
          .setHeader("Accept", "text/event-stream, application/problem+json").GET())
          .orTimeout(30, TimeUnit.SECONDS).join();
      assertThat(third.status()).as("another place: " + third).isEqualTo(503);
      current.close();
      other.awaitSign();
    }
    Answer wrong = tasker
        .send(tasker.request("/v1/events?stream_uuid=x")
            .setHeader("Accept", "text/event-stream, application/problem+json").GET());
    assertThat(wrong.status()).as(wrong.toString()).isEqualTo(400);
    assertThat(wrong.toString()).contains("stream_uuid");
  }

  @Test
  void silent_stream_shows_that_it_lives_and_where_it_is() {
    try (EventClient client = awaitRoom(0)) {
      client.awaitSign();
      client.awaitSign();

      assertThat(client.lastId()).matches("\\d+");
      UUID task = tasker.submit("hello", "{}");
      tasker.awaitTerminalOrBlocked(task);
      try (EventClient resumed = listen(other, "/v1/events?kind=task", client.lastId(), 0)) {
        List<String> states = new ArrayList<>();
        while (!states.contains("complete")) {
          EventClient.Received event = resumed.next();
          if (event.data().getString("task_uuid").equals(task.toString())) {
            states.add(event.data().getString("to_state"));
          }
        }
        assertThat(states).containsExactly("pending", "initializing", "enqueuing_steps",
            "steps_in_process", "evaluating_results",
            "complete");
      }
    }
  }

  private static EventClient awaitRoom(int receiveBuffer) {
    return awaitRoom("/v1/events", receiveBuffer);
  }

  private static EventClient awaitRoom(String path, int receiveBuffer) {
    return awaitRoom(server, path, null, receiveBuffer);
  }

  private static EventClient awaitRoom(TestServer on, String path, String lastId,
      int receiveBuffer) {
    EventClient[] client = new EventClient[1];
    TaskerClient.until("there is room", WITHIN, () -> {
      client[0] = listen(on, path, lastId, receiveBuffer);
      return client[0].status() == 200;
    });
    return client[0];
  }

  @Test
  void slow_client_is_cut_off_and_goes_on_elsewhere_without_a_gap() {
    EventClient slow = awaitRoom(4_096);
    UUID correlation = UUID.randomUUID();
    String request = TaskerClient
        .quoted(
            "{'namespace': 'testing', 'name': 'family', 'version': '1.0.0', 'context': {}, 'correlation_id': '"
                + correlation + "'}");
    long submitted = 0;
    while (!server.log().contains("TK1404") && submitted < 40_000) {
      tasker.post("/v1/tasks:batch", Collections.nCopies(500, request).toString());
      submitted += 500;
    }
    assertThat(server.log()).contains("TK1404");

    List<String> seen = new ArrayList<>();
    for (EventClient.Received event = slow.next(); event != null; event = slow.next()) {
      note(seen, event, correlation);
    }
    String lastId = slow.lastId();
    slow.close();
    long tasks = submitted;
    TaskerClient.until("all tasks have ended", Duration.ofSeconds(180),
        () -> tasker.count(
            "select count(*) from tasker.tasks where correlation_id = ? and completed_at is not null",
            correlation) == tasks);
    long all = tasker.count(
        "select count(*) from tasker.tasks t join tasker.task_transitions h using (task_uuid) where t.correlation_id = ?",
        correlation)
        + tasker.count(
            "select count(*) from tasker.tasks t join tasker.workflow_step_transitions h using (task_uuid) where t.correlation_id = ?",
            correlation);
    try (EventClient rest = awaitRoom(other, "/v1/events", lastId, 0)) {
      while (seen.size() < all) {
        EventClient.Received event = rest.next();
        assertThat(event)
            .as("after %s of %s, of which the slow one got %s; the server says: %s", seen.size(),
                all, lastId, other.log())
            .isNotNull();
        note(seen, event, correlation);
      }
    }
    assertThat(seen).doesNotHaveDuplicates().hasSize((int) all);
  }

  private static void note(List<String> seen, EventClient.Received event, UUID correlation) {
    if (event.data().getString("correlation_id").equals(correlation.toString())) {
      seen.add(event.data().getString("step".equals(event.name()) ? "step_uuid" : "task_uuid") + " "
          + event.data().getInt("sort_key"));
    }
  }

  @Test
  void without_listeners_nothing_is_read_and_one_listener_costs_a_query_a_second() {
    Duration window = Duration.ofSeconds(10);
    TaskerClient.until("streams of before have gone", WITHIN,
        () -> callsIn(Duration.ofSeconds(3)) <= 3);

    long alone = callsIn(window);
    for (int more = 0; more < 2 && alone > MOST_CALLS_ALONE; more++) {
      // A busy machine may have closed a stream late, or brought a call that was put off.
      alone = callsIn(window);
    }
    long heard;
    try (EventClient client = awaitRoom(0)) {
      client.awaitSign();
      client.awaitSign();
      client.awaitSign();
      heard = callsIn(window);
    }

    System.out
        .println("calls of an idle server in " + window.toSeconds() + " s: " + alone
            + " without listeners, " + heard + " with one");
    assertThat(alone).isLessThanOrEqualTo(MOST_CALLS_ALONE);
    assertThat(heard).isBetween(alone + 3, 27L);
  }

  /**
   * Calls of the server to the database, as it counts them itself. A busy machine answers late and
   * is watched for longer than the window, so what is returned is what fell to the window.
   */
  private static long callsIn(Duration window) {
    long before = calls();
    long start = System.nanoTime();
    pass(window);
    long counted = calls() - before;
    return counted * window.toNanos() / (System.nanoTime() - start);
  }

  private static long calls() {
    return tasker.get("/metrics").body().lines()
        .filter(line -> line.startsWith("tasker_database_calls_total"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst().orElseThrow();
  }

  /** A window to count in; what happens in it is measured, not waited for. */
  private static void pass(Duration window) {
    long end = System.nanoTime() + window.toNanos();
    while (System.nanoTime() < end) {
      java.util.concurrent.locks.LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
