package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that dies on the two sides of the commit, and the same request to the one after it. */
@Tag("long")
class KeyedRequestsCrashIT {
  private static final Duration WITHIN = Duration.ofSeconds(30);

  @Test
  void request_is_done_once_on_whichever_side_of_the_commit_its_server_died() throws Exception {
    try (EmbeddedDatabase database = TestServer.newDatabase()) {
      CompletableFuture<Answer> beforeCommit;
      CompletableFuture<Answer> afterCommit;
      try (TestServer server = TestServer.start(database, Map.of())) {
        TaskerClient tasker = server.client();
        tasker.register("/testing/templates.yaml");

        // The effect is there, the answer cannot be written: the transaction hangs between the two.
        try (Connection gate = tasker.connect()) {
          gate.setAutoCommit(false);
          TaskerClient.sql(gate, "lock table tasker.idempotency_keys in share mode");
          beforeCommit = tasker.sendLater(request(tasker, "/v1/tasks", "before"));
          TaskerClient.until("the answer waits to be kept", WITHIN, () -> tasker.count(
              "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%save_idempotent_response%'") == 1);
          server.kill();
          gate.rollback();
        }
        TaskerClient.until("its session is gone", WITHIN, () -> tasker.count(
            "select count(*) from pg_stat_activity where query like '%save_idempotent_response%' and state <> 'idle' and pid <> pg_backend_pid()") == 0);
        assertThat(tasks(tasker, "before")).as("what was not committed is not there").isZero();
        Assertions.assertThatThrownBy(beforeCommit::join).isNotNull();
      }

      // Committed, and not answered: the answer waits for a retry that is a minute away.
      try (TestServer server = TestServer.start(database, Map.of())) {
        TaskerClient tasker = server.client();
        afterCommit = tasker.sendLater(request(tasker, "/v1/tasks?wait=5", "after"));
        TaskerClient.until("the task is committed", WITHIN, () -> tasks(tasker, "after") == 1);
        server.kill();
        Assertions.assertThatThrownBy(afterCommit::join).isNotNull();
      }

      try (TestServer server = TestServer.start(database, Map.of())) {
        TaskerClient tasker = server.client();

        Answer before = tasker.send(request(tasker, "/v1/tasks", "before"));
        Answer after = tasker.send(request(tasker, "/v1/tasks?wait=5", "after"));

        assertThat(before.status()).isEqualTo(201);
        assertThat(before.header("Idempotent-Replayed")).isEmpty();
        assertThat(after.status()).isEqualTo(201);
        assertThat(after.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(tasks(tasker, "before")).isEqualTo(1);
        assertThat(tasks(tasker, "after")).isEqualTo(1);
        assertThat(tasker.send(request(tasker, "/v1/tasks", "before")).taskUuid())
            .isEqualTo(before.taskUuid());
      }
    }
  }

  private static HttpRequest.Builder request(TaskerClient tasker, String path, String key) {
    return tasker.request(path).header("Content-Type", "application/json")
        .header("Idempotency-Key", key)
        .POST(HttpRequest.BodyPublishers.ofString(
            TaskerClient.taskRequest("testing", "before".equals(key) ? "hello" : "retry_later",
                TaskerClient.quoted("{'own': '" + key + "'}"))));
  }

  private static long tasks(TaskerClient tasker, String own) {
    return tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?",
        own);
  }
}
