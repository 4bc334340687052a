package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests for tasks arrive faster than the database takes them in: here it takes none for a while. */
@Tag("long")
class OverloadIT {
  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient tasker;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database, Map.of("TASKER_API_MAX_QUEUE_MILLIS", "300"));
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  @Test
  void requests_are_refused_at_once_while_earlier_ones_have_waited_too_long_and_those_become_tasks() throws Exception {
    tasker.awaitTerminalOrBlocked(tasker.submit("hello", "{}"));
    List<CompletableFuture<Answer>> accepted = new ArrayList<>();
    Answer refused;
    Answer refusedBatch;
    try (Connection other = tasker.connect()) {
      other.setAutoCommit(false);
      TaskerClient.sql(other, "lock table tasker.tasks in share mode");
      // Two calls of the database begin and hang; what comes then waits in the server, until the first of it has waited for too long.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      do {
        CompletableFuture<Answer> answer = post();
        accepted.add(answer);
        refused = within(answer, 50);
      } while (refused == null && System.nanoTime() < end);
      assertThat(refused).as("refused while the database takes nothing in").isNotNull();
      accepted.remove(accepted.size() - 1);
      refusedBatch = tasker.post("/v1/tasks:batch", "[" + TaskerClient.taskRequest("testing", "hello", "{}") + "]");
      other.rollback();
    }

    for (Answer answer : List.of(refused, refusedBatch)) {
      assertThat(answer.status()).as(answer.toString()).isEqualTo(503);
      assertThat(answer.text("code")).isEqualTo("server-busy");
      assertThat(answer.header("Retry-After")).isEqualTo("1");
    }
    assertThat(accepted).hasSizeGreaterThan(2).allSatisfy(answer -> assertThat(answer.join().status()).isEqualTo(201));
    assertThat(post().join().status()).as("afterwards").isEqualTo(201);
    assertThat(tasker.get("/metrics").body()).contains("tasker_tasks_requests_refused_total 2");
  }

  private static CompletableFuture<Answer> post() {
    return tasker.sendLater(tasker.request("/v1/tasks").header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(TaskerClient.taskRequest("testing", "hello", "{}"))));
  }

  /** Null when it has not come by then. */
  private static Answer within(CompletableFuture<Answer> answer, int milliseconds) throws InterruptedException, ExecutionException {
    try {
      return answer.get(milliseconds, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return null;
    }
  }
}
