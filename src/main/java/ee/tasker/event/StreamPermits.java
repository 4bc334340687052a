package ee.tasker.event;

import ee.tasker.platform.Problem;
import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the streams of this server, of all kinds together, against {@code tasker.streams.limit}.
 * Thread-safe.
 */
@ApplicationScoped
class StreamPermits {
  private final AtomicInteger open = new AtomicInteger();

  @Inject
  private Settings settings;

  /** @throws Problem 503 too-many-streams */
  void acquire() {
    if (open.incrementAndGet() > settings.streams().limit()) {
      open.decrementAndGet();
      throw new Problem(503, "too-many-streams",
          "this server has reached its limit of event streams", List.of(),
          Map.of("retry_after_seconds", 5));
    }
  }

  void release() {
    open.decrementAndGet();
  }
}
