package ee.tasker.insight;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The database goes away while clients keep asking: the log says so in a few lines, regardless of
 * which part of the server notices.
 */
@Tag("long")
class OutageLogIT {
  private static final Pattern OWN = Pattern.compile("\\bTK\\d{4}\\b");
  private static final Duration WINDOW = Duration.ofSeconds(30);
  /**
   * Two reports of the outage, the listener's, and what the pool itself says when it empties, or
   * when a connection is lost within a transaction.
   */
  private static final int MOST_MESSAGES = 12;

  @Test
  void outage_is_logged_in_a_few_lines_and_its_end_too() {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.start(database, Map.of())) {
      TaskerClient tasker = server.client();
      tasker.register("/testing/templates.yaml");
      tasker.awaitTerminalOrBlocked(tasker.submit("hello", "{}"));
      database.crash();
      TaskerClient.until("the outage is noticed", Duration.ofSeconds(30),
          () -> server.log().contains("TK1503"));

      int before = lines(server).size();
      long end = System.nanoTime() + WINDOW.toNanos();
      int asked = 0;
      while (System.nanoTime() < end) {
        Answer refused = tasker.post("/v1/tasks",
            TaskerClient.taskRequest("testing", "hello", "{}"));
        assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
        asked++;
        TaskerClient.pause(Duration.ofMillis(500));
      }
      List<String> lines = lines(server);
      List<String> written = lines.subList(before, lines.size());
      database.start();
      TaskerClient.until("its end is told", Duration.ofSeconds(30),
          () -> server.log().contains("TK1504"));

      System.out.println(
          "outage: " + asked + " requests were refused within " + WINDOW.toSeconds()
              + " s, the log grew by " + written.size() + " lines");
      assertThat(asked).isGreaterThan(2);
      assertThat(written.stream().filter(line -> !isOfStackTrace(line)))
          .hasSizeLessThanOrEqualTo(MOST_MESSAGES);
      for (int i = 1; i < written.size(); i++) {
        assertThat(OWN.matcher(written.get(i - 1)).find() && isOfStackTrace(written.get(i)))
            .as("a stack trace of %s", written.get(i - 1))
            .isFalse();
      }
      // One call has been answered: others may still get a connection that was lost, and a 503.
      AtomicReference<Answer> taken = new AtomicReference<>();
      TaskerClient.until("tasks are taken again", Duration.ofSeconds(30), () -> {
        taken.set(tasker.post("/v1/tasks", TaskerClient.taskRequest("testing", "hello", "{}")));
        assertThat(taken.get().status()).as("%s", taken).isIn(201, 503);
        return taken.get().status() == 201;
      });
      tasker.awaitTerminalOrBlocked(taken.get().taskUuid());
    }
  }

  /** The application server writes some: of each connection that was lost within a transaction. */
  private static boolean isOfStackTrace(String line) {
    return Character.isWhitespace(line.charAt(0)) || line.startsWith("Caused by:");
  }

  private static List<String> lines(TestServer server) {
    return server.log().lines().filter(line -> !line.isBlank()).toList();
  }
}
