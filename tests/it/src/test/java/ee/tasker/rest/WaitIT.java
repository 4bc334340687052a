package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@AgainstServer
class WaitIT {
  private final TaskerClient tasker;

  WaitIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void creation_with_wait_answers_with_the_finished_task() {
    Answer answer = tasker.post("/v1/tasks?wait=20",
        TaskerClient.taskRequest("testing", "hello", "{'who': 'you'}"));

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text("state")).isEqualTo("complete");
    assertThat(answer.object().getJsonObject("context").getString("who")).isEqualTo("you");
    assertThat(answer.header("Location"))
        .as("relative: the server does not know by which address it is found")
        .isEqualTo("/v1/tasks/" + answer.taskUuid());
  }

  /** Tasks that end together are read together. */
  @Test
  void each_of_many_that_wait_at_once_gets_its_own_task() throws Exception {
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int n = 0; n < 200; n++) {
      String body = TaskerClient.taskRequest("testing", "hello", "{'who': 'caller " + n + "'}");
      waiting.add(tasker
          .sendLater(tasker.request("/v1/tasks?wait=50").header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(body))));
    }

    for (int n = 0; n < waiting.size(); n++) {
      Answer answer = waiting.get(n).get(60, TimeUnit.SECONDS);
      assertThat(answer.status()).as("%s", answer).isEqualTo(201);
      assertThat(answer.text("state")).isEqualTo("complete");
      assertThat(answer.object().getJsonObject("context").getString("who"))
          .isEqualTo("caller " + n);
      assertThat(answer.header("Location")).isEqualTo("/v1/tasks/" + answer.taskUuid());
    }
  }

  @Test
  void creation_without_wait_answers_before_the_task_is_done() {
    Answer answer = tasker.post("/v1/tasks", TaskerClient.taskRequest("testing", "hold", "{}"));

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text("state")).isEqualTo("steps_in_process");
    release(answer.taskUuid());
    tasker.awaitTerminalOrBlocked(answer.taskUuid());
  }

  @Test
  void wait_that_is_too_short_answers_in_time_with_the_task_as_it_is() {
    UUID task = tasker.submit("hold", "{}");

    long begin = System.nanoTime();
    Answer answer = tasker.get("/v1/tasks/" + task + "?wait=1");
    Duration took = Duration.ofNanos(System.nanoTime() - begin);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text("state")).isEqualTo("steps_in_process");
    assertThat(took).isBetween(Duration.ofMillis(990), Duration.ofSeconds(20));
    release(task);
    tasker.awaitTerminalOrBlocked(task);
  }

  @Test
  void wait_ends_soon_after_the_task_does() throws Exception {
    UUID task = tasker.submit("hold", "{}");
    CompletableFuture<Answer> waiting = tasker
        .sendLater(tasker.request("/v1/tasks/" + task + "?wait=50").GET());

    long begin = System.nanoTime();
    release(task);
    Answer answer = waiting.get(30, TimeUnit.SECONDS);

    assertThat(answer.text("state")).isEqualTo("complete");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(25));
  }

  /** What ended the task has its document at hand. */
  @Test
  void end_that_this_server_saw_is_answered_without_reading_the_task() throws Exception {
    UUID task = tasker.submit("hold", "{'who': 'you'}");
    long polls = calls("get_current_task_state");
    CompletableFuture<Answer> waiting = tasker
        .sendLater(tasker.request("/v1/tasks/" + task + "?wait=50").GET());
    TaskerClient.until("the server waits", Duration.ofSeconds(20),
        () -> calls("get_current_task_state") > polls);
    long reads = calls("get_task_documents");

    release(task);
    Answer answer = waiting.get(30, TimeUnit.SECONDS);

    assertThat(calls("get_task_documents")).isEqualTo(reads);
    assertThat(answer.text("state")).isEqualTo("complete");
    assertThat(answer.object()).isEqualTo(tasker.get("/v1/tasks/" + task).object());
  }

  private long calls(String function) {
    String name = "tasker_database_function_seconds_count{function=\"" + function + "\"} ";
    return tasker.get("/metrics").body().lines().filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length()))).sum();
  }

  @Test
  void wait_is_answered_for_a_task_that_another_program_ends_by_sql() throws Exception {
    UUID task = tasker.submit("retry_later", "{}");
    TaskerClient.until("the step waits for its retry", Duration.ofSeconds(20),
        () -> tasker.get("/v1/tasks/" + task).text("state").equals("waiting_for_retry"));
    CompletableFuture<Answer> waiting = tasker
        .sendLater(tasker.request("/v1/tasks/" + task + "?wait=50").GET());

    // No server is notified of this cancel: the waiting server has to poll.
    tasker.sql("select tasker.request_cancel(?, 'an operator with psql', 'no longer wanted')",
        task);
    Answer answer = waiting.get(20, TimeUnit.SECONDS);

    assertThat(answer.text("state")).isEqualTo("cancelled");
  }

  @Test
  void wait_is_answered_for_a_task_that_is_already_terminal_or_blocked() {
    UUID task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);

    long begin = System.nanoTime();
    Answer answer = tasker.get("/v1/tasks/" + task + "?wait=50");

    assertThat(answer.text("state")).isEqualTo("complete");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(25));
  }

  @Test
  void wait_for_a_blocked_task_does_not_last_until_it_is_repaired() {
    HttpRequest.Builder request = tasker.request("/v1/tasks?wait=30")
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(TaskerClient
            .taskRequest("testing", "fail", "{'way': 'permanent'}").replace('\'', '"')));

    long begin = System.nanoTime();
    Answer answer = tasker.send(request);

    assertThat(answer.text("state")).isEqualTo("blocked_by_failures");
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(25));
  }

  @Test
  void many_waits_hold_no_threads() throws Exception {
    UUID task = tasker.submit("hold", "{}");
    var waiting = java.util.stream.IntStream.range(0, 100)
        .mapToObj(i -> tasker.sendLater(tasker.request("/v1/tasks/" + task + "?wait=50").GET()))
        .toList();

    // More waits than the server has threads to spare, and it still takes tasks in and runs them.
    assertThat(tasker.post("/v1/tasks?wait=20", TaskerClient.taskRequest("testing", "hello", "{}"))
        .text("state")).isEqualTo("complete");
    release(task);
    for (CompletableFuture<Answer> each : waiting) {
      assertThat(each.get(30, TimeUnit.SECONDS).text("state")).isEqualTo("complete");
    }
  }

  private void release(UUID task) {
    tasker.sql("insert into testing.released values (?)", task);
  }
}
