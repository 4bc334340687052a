package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The disk of the database is full: its system calls answer so, by a library that PostgreSQL is
 * started with. What was acknowledged is done, once the disk has room.
 */
@Tag("long")
class FullDiskIT {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String DATA = "base";
  private static final String LOG = "pg_wal";

  @TempDir
  private Path folder;

  /** What callers have got, and with which statuses, while they go on submitting. */
  private final Queue<UUID> acknowledged = new ConcurrentLinkedQueue<>();
  private final Set<Integer> statuses = new ConcurrentSkipListSet<>();

  @Test
  void nothing_is_lost_the_server_says_so_and_goes_on_by_itself() throws Exception {
    Path library = Preload.library(folder, "full-disk");
    try (EmbeddedDatabase database = TestServer.newDurableDatabase()) {
      restart(database, library);
      try (TestServer server = TestServer.start(database,
          Map.of("TASKER_POLL_INTERVAL_SECONDS", "2"))) {
        TaskerClient tasker = server.client();
        tasker.register("/testing/templates.yaml");
        AtomicBoolean hasEnded = new AtomicBoolean();
        Thread callers = new Thread(() -> {
          while (!hasEnded.get()) {
            submit(tasker, hasEnded);
          }
        });
        callers.start();
        try {
          TaskerClient.until("tasks are acknowledged", PATIENCE, () -> acknowledged.size() > 50);
          fillTables(server, tasker);
          fillLog(server, tasker, database, library);
        } finally {
          hasEnded.set(true);
          callers.join();
        }

        for (UUID task : acknowledged) {
          assertThat(tasker.awaitTerminalOrBlocked(task, PATIENCE).getString("state"))
              .isEqualTo("complete");
        }
        assertThat(statuses).isSubsetOf(Set.of(201, 503)).contains(201, 503);
        assertThat(History.broken(tasker)).isEmpty();
        assertThat(tasker.sql("select step_uuid, attempt from testing.effects where effect = 'ran'"
            + " group by 1, 2 having count(*) > 1")).as("attempts that ran twice").isEmpty();
      }
    }
  }

  private void fillTables(TestServer server, TaskerClient tasker) throws IOException {
    Files.createFile(folder.resolve(DATA));
    TaskerClient.until("it says that the disk is full", PATIENCE,
        () -> ready(tasker).body().contains("disk of the database is full"));
    assertThat(ready(tasker).status()).isEqualTo(503);
    assertThat(tasker.get("/v1/tasks?limit=1").status()).as("reads go on").isEqualTo(200);
    assertThat(server.log()).contains("TK1503").contains("could not extend file")
        .contains("No space left on device");
    TaskerClient.pause(Duration.ofSeconds(20));
    assertThat(ready(tasker).body()).as("as long as that").contains("disk of the database is full");

    Files.delete(folder.resolve(DATA));
    awaitGoingOn(tasker);
  }

  /** PostgreSQL stops when it cannot write its log; an administrator starts it again. */
  private void fillLog(TestServer server, TaskerClient tasker, EmbeddedDatabase database,
      Path library) throws Exception {
    Files.createFile(folder.resolve(LOG));
    TaskerClient.until("PostgreSQL has no room for its log", PATIENCE,
        () -> text(database.log()).contains("PANIC")
            && ready(tasker).status() == 503);

    Files.delete(folder.resolve(LOG));
    // It has ended, or is about to, or has recovered and will be full again.
    database.crash();
    database.start(environment(library));
    awaitGoingOn(tasker);
    assertThat(server.isAlive()).isTrue();
  }

  private void awaitGoingOn(TaskerClient tasker) {
    TaskerClient.until("the server is ready again", PATIENCE, () -> ready(tasker).status() == 200);
    int before = acknowledged.size();
    TaskerClient.until("tasks are acknowledged again", PATIENCE,
        () -> acknowledged.size() > before + 20);
  }

  /** As a client does that sends a request again until it knows, or gives up. */
  private void submit(TaskerClient tasker, AtomicBoolean givesUp) {
    String key = UUID.randomUUID().toString();
    Answer answer;
    do {
      answer = tasker.send(tasker.request("/v1/tasks").header("Content-Type", "application/json")
          .header("Idempotency-Key", key)
          .POST(HttpRequest.BodyPublishers.ofString(
              TaskerClient.taskRequest("testing", "work", "{'filler': '" + filler() + "'}"))));
      statuses.add(answer.status());
    } while (answer.status() == 503 && !givesUp.get());
    if (answer.status() == 201) {
      acknowledged.add(answer.taskUuid());
    }
  }

  /** So that tables and log grow. */
  private static String filler() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      text.append(UUID.randomUUID());
    }
    return text.toString();
  }

  private static Answer ready(TaskerClient tasker) {
    return tasker.get("/health/ready");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void restart(EmbeddedDatabase database, Path library) {
    database.close();
    database.start(environment(library));
  }

  private Map<String, String> environment(Path library) {
    return Map.of(Preload.VARIABLE, library.toString(), "FULL_DISK", folder.toString());
  }
}
