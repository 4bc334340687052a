package ee.tasker.platform;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;

/**
 * What this server counts about itself since it started. Labels have few values by design: no uuid, no name that a user makes
 * up. Thread-safe; counting takes nanoseconds and fails nothing.
 */
@ApplicationScoped
public class Meters {
  private static final List<String> OUTCOMES = List.of("success", "retryable_failure", "permanent_failure", "cancelled");

  private final PrometheusRegistry registry = new PrometheusRegistry();

  private final Counter executions = Counter.builder().name("tasker_steps_executions_total")
      .help("Attempts of steps that this server ran, by outcome").labelNames("outcome").register(registry);

  private final Histogram durations = Histogram.builder().name("tasker_step_execution_duration_seconds")
      .help("How long the handlers of steps took on this server").classicOnly()
      .classicUpperBounds(0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600).register(registry);

  private final Counter calls = Counter.builder().name("tasker_database_calls_total")
      .help("Round trips of this server to functions of the database, transaction control left out").register(registry);

  public Meters() {
    OUTCOMES.forEach(executions::initLabelValues);
  }

  /** An attempt of a step ended; an outcome that is not among the known ones is not told apart. */
  public void stepExecuted(String outcome, Duration handlerTime) {
    executions.labelValues(OUTCOMES.contains(outcome) ? outcome : "other").inc();
    durations.observe(handlerTime.toNanos() / 1e9);
  }

  public void databaseCalled() {
    calls.inc();
  }

  /** For whoever prints them. */
  public PrometheusRegistry registry() {
    return registry;
  }
}
