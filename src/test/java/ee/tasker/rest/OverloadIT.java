package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests for tasks arrive faster than the database takes them in: here it takes none for a while. The server begins with few threads for requests. */
@Tag("long")
class OverloadIT {
  private static final int AT_ONCE = 60;

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient tasker;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Map.of("TASKER_API_MAX_QUEUE_MILLIS", "5000", "TASKER_API_MAX_CONCURRENT_REQUESTS", Integer.toString(AT_ONCE),
            "HTTP_THREADS", "8"));
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
    long before = refusals();
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
        refused = within(answer, 150);
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
    assertThat(refusals()).isEqualTo(before + 2);
  }

  @Test
  void no_thread_waits_for_the_creation_of_a_task_and_so_many_at_once_are_refused_while_others_are_answered() throws Exception {
    UUID task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);
    String same = TaskerClient.taskRequest("testing", "strict_hello", "{'own': '" + UUID.randomUUID() + "'}");
    List<CompletableFuture<Answer>> accepted = new ArrayList<>();
    CompletableFuture<Answer> waiting;
    List<CompletableFuture<Answer>> twins;
    Answer refused;
    try (Connection other = tasker.connect()) {
      other.setAutoCommit(false);
      TaskerClient.sql(other, "lock table tasker.tasks in share mode");
      for (int i = 0; i < AT_ONCE - 3; i++) {
        accepted.add(post());
      }
      waiting = post("/v1/tasks?wait=20", TaskerClient.taskRequest("testing", "hello", "{}"));
      twins = List.of(post("/v1/tasks", same), post("/v1/tasks", same));
      refused = refused(accepted);
      List<String> busy = threadsIn("ee.tasker.task.SubmissionBatcher");
      assertThat(busy).as("threads that create tasks").hasSizeBetween(1, 2);
      assertThat(tasker.get("/v1/tasks/" + task).status()).as("of a request that creates nothing").isEqualTo(200);
      other.rollback();
    }

    assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
    assertThat(refused.text("code")).isEqualTo("server-busy");
    assertThat(refused.text("detail")).contains("the tasks of " + AT_ONCE + " requests");
    assertThat(refused.header("Retry-After")).isEqualTo("1");
    assertThat(accepted).allSatisfy(answer -> {
      assertThat(answer.join().status()).as(answer.join().toString()).isEqualTo(201);
      assertThat(answer.join().header("Location")).endsWith("/v1/tasks/" + answer.join().taskUuid());
    });
    assertThat(waiting.join().status()).isEqualTo(201);
    assertThat(waiting.join().text("state")).isEqualTo("complete");
    assertThat(twins.stream().map(CompletableFuture::join).map(Answer::status)).containsExactlyInAnyOrder(201, 409);
    Answer duplicate = twins.stream().map(CompletableFuture::join).filter(answer -> answer.status() == 409).findFirst().orElseThrow();
    assertThat(duplicate.text("code")).isEqualTo("duplicate-task");
    assertThat(duplicate.text("instance")).isEqualTo("/v1/tasks");
    assertThat(duplicate.header("Location")).endsWith("/v1/tasks/" + duplicate.taskUuid());
    assertThat(post().join().status()).as("afterwards").isEqualTo(201);
  }

  /** Those that are accepted before there are too many are added. */
  private static Answer refused(List<CompletableFuture<Answer>> accepted) throws Exception {
    for (int i = 0; i < AT_ONCE; i++) {
      CompletableFuture<Answer> answer = post();
      Answer now = within(answer, 1_000);
      if (now != null) {
        return now;
      }
      accepted.add(answer);
    }
    throw new AssertionError("none was refused");
  }

  /** The threads of the server that are in that class now. */
  private static List<String> threadsIn(String className) throws IOException, InterruptedException {
    Process dump = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(server.pid()),
        "Thread.print").redirectErrorStream(true).start();
    String text = new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(dump.waitFor()).as(text).isZero();
    return Arrays.stream(text.split("\n\n")).filter(thread -> thread.contains("at " + className)).toList();
  }

  private static long refusals() {
    return tasker.get("/metrics").body().lines().filter(line -> line.startsWith("tasker_tasks_requests_refused_total "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ')))).findFirst().orElse(0);
  }

  private static CompletableFuture<Answer> post() {
    return post("/v1/tasks", TaskerClient.taskRequest("testing", "hello", "{}"));
  }

  private static CompletableFuture<Answer> post(String path, String request) {
    return tasker.sendLater(tasker.request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(request)));
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
