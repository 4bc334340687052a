package ee.tasker.platform.sql;

import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.Supplier;

/**
 * How long calls waited for a connection of the server's pool. No standard interface tells how a
 * pool is used, so that this is measured where a connection is asked for. Static, because some
 * servers ask for the first one before there is a bean of the application. Thread-safe.
 */
final class ConnectionWaits {
  private static final Histogram WAITS = Histogram.builder()
      .name("tasker_database_connection_wait_seconds")
      .help(
          "How long this server's calls waited for a connection of its pool, including calls that got none")
      .classicOnly()
      .classicUpperBounds(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30).build();

  private static final Gauge WAITING = Gauge.builder()
      .name("tasker_database_connection_waiting")
      .help(
          "Calls of this server that wait for a connection of its pool now")
      .build();

  private ConnectionWaits() {
  }

  static void register(PrometheusRegistry registry) {
    registry.register(WAITS);
    registry.register(WAITING);
  }

  /** Asks for a connection, and measures how long that takes, also when it fails. */
  static <T> T timed(Supplier<T> request) {
    long began = System.nanoTime();
    WAITING.inc();
    try {
      return request.get();
    } finally {
      WAITING.dec();
      WAITS.observe((System.nanoTime() - began) / 1e9);
    }
  }
}
