package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.EventClient;
import ee.tasker.testing.server.EventClient.Received;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What happens, told while it happens. */
@AgainstServer
class EventsIT {
  private static final int TASKS = 200;

  private final TaskerClient tasker;

  EventsIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private EventClient listen(String path, String lastId) {
    EventClient client = EventClient.open(tasker.base(), path, lastId, 0);
    assertThat(client.status()).isEqualTo(200);
    assertThat(client.header("Content-Type")).startsWith("text/event-stream");
    return client;
  }

  private static String move(Received event) {
    JsonObject data = event.data();
    return data.getString("step".equals(event.name()) ? "step_uuid" : "task_uuid") + " "
        + data.getInt("sort_key") + " "
        + data.getString("to_state");
  }

  /** Of some tasks, as SQL has it. */
  private List<String> history(String where, Object... arguments) {
    return tasker.sql(
        "select m.move from (select h.task_uuid, h.task_uuid || ' ' || h.sort_key || ' ' || h.to_state as move, h.created_at from tasker.task_transitions h union all "
            + "select h.task_uuid, h.workflow_step_uuid || ' ' || h.sort_key || ' ' || h.to_state, h.created_at from tasker.workflow_step_transitions h) m "
            + "join tasker.tasks t on t.task_uuid = m.task_uuid where " + where
            + " order by m.created_at, m.move",
        arguments).stream().map(row -> (String) row.get("move")).toList();
  }

  @Test
  void stream_of_a_task_has_its_whole_history_in_order_and_ends_with_it() {
    UUID task = tasker.submit("hello", "{}");
    try (EventClient client = listen("/v1/tasks/" + task + "/events", null)) {
      Received last = null;
      for (Received event = client.next(); event != null; event = client.next()) {
        last = event;
      }

      assertThat(last.name()).isEqualTo("end");
      assertThat(last.data().getString("state")).isEqualTo("complete");
      List<Received> moves = client.events().subList(0, client.events().size() - 1);
      assertThat(moves.stream().map(EventsIT::move))
          .containsExactlyInAnyOrderElementsOf(history("t.task_uuid = ?", task));
      assertThat(moves).filteredOn(event -> "task".equals(event.name()))
          .extracting(event -> event.data().getInt("sort_key")).isSorted();
      assertThat(moves)
          .allSatisfy(event -> assertThat(event.data().getString("name")).isEqualTo("hello"));
      assertThat(client.retry()).isEqualTo("2000");
      assertThat(client.header("X-Accel-Buffering")).isEqualTo("no");
    }
    // A client that reconnects, as a browser does, receives it again.
    try (EventClient again = listen("/v1/tasks/" + task + "/events", null)) {
      Received first = again.next();
      try (EventClient rest = listen("/v1/tasks/" + task + "/events", first.id())) {
        while (rest.next() != null) {
          // until it ends
        }
        assertThat(rest.events()).hasSize(history("t.task_uuid = ?", task).size());
        assertThat(rest.events().get(rest.events().size() - 1).name()).isEqualTo("end");
        try (EventClient after = listen("/v1/tasks/" + task + "/events", rest.lastId())) {
          assertThat(after.next().name()).isEqualTo("end");
          assertThat(after.next()).isNull();
        }
      }
    }
  }

  @Test
  void stream_of_a_task_continues_while_it_is_blocked_and_ends_when_an_operator_closes_it() {
    UUID task = tasker.submit("fail", quoted("{'way': 'permanent'}"));
    tasker.awaitTerminalOrBlocked(task);
    try (EventClient client = listen("/v1/tasks/" + task + "/events", null)) {
      while (!"blocked_by_failures".equals(client.next().data().getString("to_state"))) {
        // what came before
      }
      tasker.send(tasker.request("/v1/tasks/" + task).header("Content-Type", "application/json")
          .method("PATCH", java.net.http.HttpRequest.BodyPublishers
              .ofString(quoted(
                  "{'action_type': 'resolve', 'requested_by': 'ann', 'reason': 'done by hand'}"))));

      assertThat(client.next().data().getString("to_state")).isEqualTo("resolved_manually");
      assertThat(client.next().name()).isEqualTo("end");
      assertThat(client.next()).isNull();
    }
  }

  @Test
  void client_that_is_cut_again_and_again_while_200_tasks_run_sees_every_move_once() {
    UUID correlation = UUID.randomUUID();
    List<Received> seen = new ArrayList<>();
    String path = "/v1/events?correlation_id=" + correlation;
    EventClient client = listen(path, null);
    String request = quoted(
        "{'namespace': 'testing', 'name': 'family', 'version': '1.0.0', 'context': {}, 'correlation_id': '"
            + correlation + "'}");
    Thread submitter = new Thread(() -> {
      for (int i = 0; i < 10; i++) {
        tasker.post("/v1/tasks:batch", Collections.nCopies(TASKS / 10, request).toString());
      }
    });
    submitter.start();
    int cuts = 0;
    int ended = 0;
    List<String> all = List.of();
    // Once all have ended, until everything of theirs has come: some of it may have been held back.
    while (ended < TASKS || seen.size() < all.size()) {
      Received event = client.next();
      assertThat(event).as("after %d events the stream ended or was silent", seen.size())
          .isNotNull();
      seen.add(event);
      if ("task".equals(event.name()) && List.of("complete", "error", "blocked_by_failures")
          .contains(event.data().getString("to_state"))) {
        ended++;
        all = ended == TASKS ? history("t.correlation_id = ?", correlation) : all;
      }
      if (seen.size() % 701 == 0) {
        // What has arrived and was not read is lost with the connection.
        client.close();
        client = listen(path, event.id());
        cuts++;
      }
    }
    client.close();

    assertThat(cuts).isGreaterThan(4);
    assertThat(seen.stream().map(EventsIT::move).toList()).doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(all);
    assertThat(seen).extracting(Received::id).doesNotHaveDuplicates();
  }

  @Test
  void a_late_commit_is_sent_after_all() throws Exception {
    UUID correlation = UUID.randomUUID();
    try (EventClient client = listen("/v1/events?kind=task&correlation_id=" + correlation, null);
        Connection early = tasker.connect()) {
      early.setAutoCommit(false);
      String submission = "select tasker.submit_task('testing', 'hello', '1.0.0', '{}', jsonb_build_object('context_checked', true, 'correlation_id', ?::text)) as task";
      UUID late = (UUID) TaskerClient.sql(early, submission, correlation.toString()).get(0)
          .get("task");
      UUID first = (UUID) tasker.sql(submission, correlation.toString()).get(0).get("task");
      assertThat(tasker.awaitTerminalOrBlocked(first).getString("state")).isEqualTo("complete");

      early.commit();
      assertThat(tasker.awaitTerminalOrBlocked(late).getString("state")).isEqualTo("complete");
      List<String> told = new ArrayList<>();
      while (told.stream().filter(move -> move.endsWith(" complete")).count() < 2) {
        told.add(move(client.next()));
      }

      assertThat(told).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(
          history("t.correlation_id = ?", correlation).stream()
              .filter(move -> move.startsWith(late.toString()) || move.startsWith(first.toString()))
              .toList());
    }
  }

  @Test
  void filters_leave_out_the_rest() {
    try (EventClient client = listen(
        "/v1/events?namespace=testing&name=hello&version=1.0.0&kind=task", null)) {
      tasker.submit("family", "{}");
      UUID task = tasker.submit("hello", "{}");
      while (!(task + " 6 complete").equals(move(client.next()))) {
        // until the task has ended
      }
      assertThat(client.events()).allSatisfy(event -> {
        assertThat(event.name()).isEqualTo("task");
        assertThat(event.data().getString("name")).isEqualTo("hello");
      });
    }
  }

  @Test
  void one_stream_follows_several_tasks_and_goes_on_when_they_end() {
    UUID one = tasker.submit("hold", "{}");
    UUID two = tasker.submit("hold", "{}");
    try (EventClient client = listen(
        "/v1/events?namespace=testing&task_uuid=" + one + "&task_uuid=" + two, null)) {
      tasker.submit("hello", "{}");
      for (UUID task : List.of(one, two)) {
        tasker.sql("insert into testing.released values (?) returning task_uuid", task);
        while (!move(client.next()).matches(task + " \\d+ complete")) {
          // until the task has ended
        }
      }
      assertThat(client.events()).allMatch(
          event -> List.of(one, two).contains(UUID.fromString(event.data().getString("task_uuid"))))
          .anyMatch(event -> event.name().equals("step"));
    }
  }

  @Test
  void what_is_wrong_is_a_problem_and_no_stream() {
    assertProblem("/v1/tasks/" + UUID.randomUUID() + "/events", null, 404, "task-not-found");
    assertProblem("/v1/tasks/nope/events", null, 400, "invalid-request");
    assertProblem("/v1/events?kind=nope", null, 400, "invalid-request");
    assertProblem("/v1/events?nope=1", null, 400, "invalid-request");
    assertProblem("/v1/events?task_uuid=nope", null, 400, "invalid-request");
    assertProblem("/v1/events?" + ("task_uuid=" + UUID.randomUUID() + "&").repeat(51) + "kind=task",
        null, 400, "invalid-request");
    assertProblem("/v1/events", "nope", 400, "invalid-request");
    assertProblem("/v1/events", "999999999999999", 400, "invalid-request");
    assertProblem("/v1/events", "5-4-1-01a1fc6e-1e40-79a4-8022-73de26fdeb5a-1", 400,
        "invalid-request");
  }

  private void assertProblem(String path, String lastId, int status, String code) {
    var request = tasker.request(path).setHeader("Accept",
        "text/event-stream, application/problem+json");
    Answer answer = tasker
        .send((lastId == null ? request : request.header("Last-Event-ID", lastId))
            .timeout(java.time.Duration.ofSeconds(10)).GET());
    assertThat(answer.status()).as(answer.toString()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.text("code")).isEqualTo(code);
  }
}
