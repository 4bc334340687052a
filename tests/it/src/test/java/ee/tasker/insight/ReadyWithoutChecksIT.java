package ee.tasker.insight;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server whose application is not there yet is not ready: a balancer would send it requests,
 * which nothing answers.
 */
@Tag("long")
class ReadyWithoutChecksIT {
  private static final HttpClient HTTP = HttpClient.newBuilder()
      .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();

  /** Asks all the time, as no probe does, and keeps what was wrong. */
  private static final class Probe implements AutoCloseable {
    private final Collection<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger unready = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Thread thread;

    Probe(TestServer server) {
      thread = new Thread(() -> ask(server), "probe");
      thread.start();
    }

    private void ask(TestServer server) {
      HttpRequest ready = HttpRequest.newBuilder(server.base().resolve("/health/ready"))
          .timeout(Duration.ofSeconds(10)).build();
      while (!ended.get()) {
        try {
          HttpResponse<String> answer = HTTP.send(ready, HttpResponse.BodyHandlers.ofString());
          if (answer.statusCode() != 200) {
            unready.incrementAndGet();
          } else if (!answer.body().contains("\"database\"")) {
            wrong.add(answer.body());
          }
        } catch (IOException e) {
          unready.incrementAndGet();
        } catch (InterruptedException e) {
          return;
        }
        TaskerClient.pause(Duration.ofMillis(5));
      }
    }

    @Override
    public void close() {
      ended.set(true);
      try {
        thread.join(20_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void it_is_never_ready_without_the_checks_of_the_application() {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.starting(database, Map.of());
        Probe probe = new Probe(server)) {
      server.awaitReady();
      assertThat(probe.unready).hasPositiveValue();
      assertThat(probe.wrong).as("while it starts").isEmpty();
    }
  }
}
