package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.handlers.Block;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
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

/**
 * Requests for tasks arrive faster than the database takes them in: here it takes none for a while.
 * The server begins with few threads for requests.
 */
@Tag("long")
class OverloadIT {
  private static final int AT_ONCE = 60;
  private static final int CAPACITY = 4;

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient tasker;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Map.of("TASKER_API_MAX_QUEUE_MILLIS", "10000", "TASKER_API_MAX_CONCURRENT_REQUESTS",
            Integer.toString(AT_ONCE),
            "HTTP_THREADS", "8", "TASKER_WORKER_CAPACITY", Integer.toString(CAPACITY),
            "TASKER_WORKER_PREFETCH", "0"));
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  @Test
  void requests_are_refused_at_once_while_earlier_ones_have_waited_too_long_and_those_become_tasks()
      throws Exception {
    tasker.awaitTerminalOrBlocked(tasker.submit("hello", "{}"));
    long before = refusals();
    List<CompletableFuture<Answer>> accepted = new ArrayList<>();
    Answer refused;
    Answer refusedBatch;
    try (Connection other = tasker.connect()) {
      other.setAutoCommit(false);
      TaskerClient.sql(other, "lock table tasker.tasks in share mode");
      // Two calls of the database begin and hang; what comes then waits in the server, until the
      // first of it has waited for too long.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      do {
        CompletableFuture<Answer> answer = post();
        accepted.add(answer);
        refused = within(answer, 300);
      } while (refused == null && System.nanoTime() < end);
      assertThat(refused).as("refused while the database takes nothing in").isNotNull();
      accepted.remove(accepted.size() - 1);
      refusedBatch = tasker.post("/v1/tasks:batch",
          "[" + TaskerClient.taskRequest("testing", "hello", "{}") + "]");
      other.rollback();
    }

    for (Answer answer : List.of(refused, refusedBatch)) {
      assertThat(answer.status()).as(answer.toString()).isEqualTo(503);
      assertThat(answer.text("code")).isEqualTo("server-busy");
      assertThat(answer.header("Retry-After")).isEqualTo("1");
    }
    assertThat(accepted).hasSizeGreaterThan(2)
        .allSatisfy(answer -> assertThat(answer.join().status()).isEqualTo(201));
    assertThat(post().join().status()).as("afterwards").isEqualTo(201);
    assertThat(refusals()).isEqualTo(before + 2);
  }

  @Test
  void no_thread_waits_for_the_creation_of_a_task_and_so_many_at_once_are_refused_while_others_are_answered()
      throws Exception {
    UUID task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);
    String same = TaskerClient.taskRequest("testing", "strict_hello",
        "{'own': '" + UUID.randomUUID() + "'}");
    List<CompletableFuture<Answer>> accepted = new ArrayList<>();
    CompletableFuture<Answer> waiting;
    List<CompletableFuture<Answer>> twins;
    Answer refused;
    try (Connection other = tasker.connect()) {
      other.setAutoCommit(false);
      TaskerClient.sql(other, "lock table tasker.tasks in share mode");
      waiting = post("/v1/tasks?wait=20", TaskerClient.taskRequest("testing", "hello", "{}"));
      twins = List.of(post("/v1/tasks", same), post("/v1/tasks", same));
      // Of all that are sent at once any may be the one that is refused: these are there before.
      for (CompletableFuture<Answer> each : List.of(waiting, twins.get(0), twins.get(1))) {
        assertThat(within(each, 500)).as("answered although there are no tasks").isNull();
      }
      for (int i = 0; i < AT_ONCE - 3; i++) {
        accepted.add(post());
      }
      refused = refused(accepted);
      List<String> busy = threadsIn("ee.tasker.task.SubmissionBatcher");
      assertThat(busy).as("threads that create tasks").hasSizeBetween(1, 2);
      assertThat(tasker.get("/v1/tasks/" + task).status()).as("of a request that creates nothing")
          .isEqualTo(200);
      other.rollback();
    }

    assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
    assertThat(refused.text("code")).isEqualTo("server-busy");
    assertThat(refused.text("detail")).contains("the tasks of " + AT_ONCE + " requests");
    assertThat(refused.header("Retry-After")).isEqualTo("1");
    // The last ones may have come before others.
    List<Answer> created = accepted.stream().map(CompletableFuture::join)
        .filter(answer -> answer.status() != 503).toList();
    assertThat(created).hasSize(AT_ONCE - 3).allSatisfy(answer -> {
      assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
      assertThat(answer.header("Location")).endsWith("/v1/tasks/" + answer.taskUuid());
    });
    assertThat(waiting.join().status()).isEqualTo(201);
    assertThat(waiting.join().text("state")).isEqualTo("complete");
    assertThat(twins.stream().map(CompletableFuture::join).map(Answer::status))
        .containsExactlyInAnyOrder(201, 409);
    Answer duplicate = twins.stream().map(CompletableFuture::join)
        .filter(answer -> answer.status() == 409).findFirst().orElseThrow();
    assertThat(duplicate.text("code")).isEqualTo("duplicate-task");
    assertThat(duplicate.text("instance")).isEqualTo("/v1/tasks");
    assertThat(duplicate.header("Location")).endsWith("/v1/tasks/" + duplicate.taskUuid());
    assertThat(post().join().status()).as("afterwards").isEqualTo(201);
  }

  @Test
  void results_that_the_database_does_not_take_go_first_but_for_half_of_the_longest_wait_at_most()
      throws Exception {
    List<UUID> tasks = new ArrayList<>();
    CompletableFuture<Answer> next;
    try (Connection other = tasker.connect()) {
      other.setAutoCommit(false);
      TaskerClient.sql(other, "lock table tasker.workflow_step_result_audit in share mode");
      for (int i = 0; i < CAPACITY; i++) {
        tasks.add(tasker.submit("hello", "{}"));
      }
      TaskerClient.until("no permit is left", Duration.ofSeconds(20),
          () -> metric("tasker_worker_available_capacity") == 0);

      CompletableFuture<Answer> first = post();
      assertThat(within(first, 2_000)).as("answered although results wait").isNull();
      assertThat(first.get(20, TimeUnit.SECONDS).status()).as("after half of the longest wait")
          .isEqualTo(201);
      next = post();
      assertThat(within(next, 500)).as("answered although results wait").isNull();
      other.rollback();
    }
    Answer answer = within(next, 3_000);
    assertThat(answer).as("the answer as soon as the results are taken").isNotNull();
    assertThat(answer.status()).isEqualTo(201);
    tasks.forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("complete"));
  }

  @Test
  void tasks_are_taken_in_at_once_while_slow_handlers_have_all_permits() throws Exception {
    List<UUID> tasks = new ArrayList<>();
    for (int i = 0; i < CAPACITY; i++) {
      tasks.add(tasker.submit("block", "{}"));
    }
    TaskerClient.until("no permit is left", Duration.ofSeconds(20),
        () -> metric("tasker_worker_available_capacity") == 0);

    Answer answer = within(post(), 3_000);
    tasker.sql("insert into testing.released values (?)", Block.ALL);

    assertThat(answer).as("the answer while handlers block").isNotNull();
    assertThat(answer.status()).isEqualTo(201);
    tasks.forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("complete"));
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
    Process dump = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
        Long.toString(server.pid()),
        "Thread.print").redirectErrorStream(true).start();
    String text = new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(dump.waitFor()).as(text).isZero();
    return Arrays.stream(text.split("\n\n")).filter(thread -> thread.contains("at " + className))
        .toList();
  }

  private static long refusals() {
    return metric("tasker_tasks_requests_refused_total");
  }

  /** 0 when it was never counted. */
  private static long metric(String name) {
    return tasker.get("/metrics").body().lines().filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ')))).findFirst()
        .orElse(0);
  }

  private static CompletableFuture<Answer> post() {
    return post("/v1/tasks", TaskerClient.taskRequest("testing", "hello", "{}"));
  }

  private static CompletableFuture<Answer> post(String path, String request) {
    return tasker.sendLater(tasker.request(path).header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(request)));
  }

  /** Null when it has not come by then. */
  private static Answer within(CompletableFuture<Answer> answer, int milliseconds)
      throws InterruptedException, ExecutionException {
    try {
      return answer.get(milliseconds, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return null;
    }
  }
}
