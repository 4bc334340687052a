package ee.tasker.platform.sql;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.core.metrics.Summary;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;

/**
 * The counters of this server since it started. Labels have few values by design: no uuid, no
 * user-defined name.
 * Thread-safe; counting takes nanoseconds and never throws.
 */
@ApplicationScoped
public class Meters {
  private static final List<String> OUTCOMES = List.of("success", "retryable_failure",
      "permanent_failure", "cancelled");

  private static final List<String> REPLICA_OUTCOMES = List.of("answered", "behind", "failed");

  private static final List<String> METHODS = List.of("GET", "HEAD", "POST", "PUT", "PATCH",
      "DELETE", "OPTIONS");

  private final PrometheusRegistry registry = new PrometheusRegistry();

  private final Counter executions = Counter.builder().name("tasker_steps_executions_total")
      .help(
          "Step attempts that this server ran, by outcome")
      .labelNames("outcome")
      .register(registry);

  private final Histogram durations = Histogram.builder()
      .name("tasker_step_execution_duration_seconds")
      .help(
          "How long the handlers of steps took on this server")
      .classicOnly()
      .classicUpperBounds(0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 120, 600).register(registry);

  private final Counter requests = counter("tasker_tasks_requests_total",
      "Task requests that this server submitted to the database, including refused ones and duplicates");

  private final Counter refusals = counter("tasker_tasks_requests_refused_total",
      "HTTP requests for tasks that this server refused because earlier ones had waited longer than tasker.api.max-queue-millis for the database");

  private final Counter completions = counter("tasker_tasks_completions_total",
      "Tasks that ended as complete or resolved_manually in this server's calls");

  private final Counter failures = counter("tasker_tasks_failures_total",
      "Tasks that ended in error or became blocked_by_failures in this server's calls");

  private final Counter claims = counter("tasker_steps_claimed_total",
      "Step attempts that this server claimed");

  private final Histogram initializations = calls("tasker_task_initialization_duration_seconds",
      "Duration of calls that submit task requests, up to 500 each, including the commit");

  private final Histogram claimCalls = calls("tasker_step_claim_duration_seconds",
      "Duration of calls that claim steps from queues, including the commit");

  private final Histogram submissions = calls("tasker_step_result_submission_duration_seconds",
      "Duration of calls that record results and their consequences, including the commit");

  private final Histogram startDelays = calls("tasker_step_start_delay_seconds",
      "How long a claimed step waited for a thread of this server: rises when the CPUs are busy, and includes the wait of prefetched steps");

  private final Counter calls = Counter.builder().name("tasker_database_calls_total")
      .help(
          "SQL function calls of this server, transaction control excluded. Divided by the server's executions: round trips per step")
      .register(registry);

  private final Histogram databaseCalls = calls("tasker_database_call_duration_seconds",
      "Duration of this server's calls of SQL functions, until their first row; the commit is not in it");

  private final Summary functions = Summary.builder().name("tasker_database_function_seconds")
      .help(
          "Calls of each SQL function by this server, and their total duration")
      .labelNames("function").register(registry);

  private final Histogram answers = Histogram.builder()
      .name("tasker_http_request_duration_seconds")
      .help(
          "How long requests to this server took until the response was complete, including those that wait for a task or for work")
      .labelNames("method", "status").classicOnly()
      .classicUpperBounds(0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 60).register(registry);

  private final Counter replicaReads = Counter.builder().name("tasker_replica_reads_total")
      .help(
          "Reads that could be stale, by outcome: answered by the replica, or by the primary because it was behind or failed")
      .labelNames("outcome").register(registry);

  private final Info build = Info.builder().name("tasker_build_info")
      .help(
          "Always 1; the label is the version of this server")
      .labelNames("version").register(registry);

  public Meters() {
    build.setLabelValues(Routines.versionOfApplication());
    registry.register(new JvmMeters());
    ConnectionWaits.register(registry);
    REPLICA_OUTCOMES.forEach(replicaReads::initLabelValues);
    OUTCOMES.forEach(executions::initLabelValues);
  }

  private Counter counter(String name, String help) {
    return Counter.builder().name(name).help(help).register(registry);
  }

  private Histogram calls(String name, String help) {
    return Histogram.builder().name(name).help(help).classicOnly()
        .classicUpperBounds(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30)
        .register(registry);
  }

  /**
   * A request to the API was answered, {@code startNanos} is when it began.
   *
   * @param status of the answer; its first digit is what counts
   */
  public void requestAnswered(String method, int status, long startNanos) {
    answers.labelValues(METHODS.contains(method) ? method : "other", status / 100 + "xx")
        .observe(secondsSince(startNanos));
  }

  /** Requests were submitted within the caller's transaction. */
  public void tasksRequested(int count) {
    requests.inc(count);
  }

  /**
   * Requests were submitted in their own transaction, which began at {@code startNanos} and has
   * ended.
   */
  public void tasksRequested(int count, long startNanos) {
    requests.inc(count);
    initializations.observe(secondsSince(startNanos));
  }

  /**
   * A request for one or more tasks was refused, because earlier ones had waited too long for the
   * database.
   */
  public void submissionRefused() {
    refusals.inc();
  }

  /** A task ended as complete or resolved manually. */
  public void taskCompleted() {
    completions.inc();
  }

  /** A task ended in error or became blocked by failures. */
  public void taskFailed() {
    failures.inc();
  }

  public void stepsClaimed(int count) {
    claims.inc(count);
  }

  /** A claim of queued steps that began at {@code startNanos} has ended. */
  public void claimCalled(long startNanos) {
    claimCalls.observe(secondsSince(startNanos));
  }

  /** A result submission that began at {@code startNanos} has ended. */
  public void resultsSubmitted(long startNanos) {
    submissions.observe(secondsSince(startNanos));
  }

  /** A step starts, this long after its claim. */
  public void stepStarts(long nanosSinceClaim) {
    startDelays.observe(nanosSinceClaim / 1e9);
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** An attempt of a step ended; unknown outcomes are counted together. */
  public void stepExecuted(String outcome, Duration handlerTime) {
    stepExecuted(outcome);
    durations.observe(handlerTime.toNanos() / 1e9);
  }

  /** The same when the time of the handler is unknown here. */
  public void stepExecuted(String outcome) {
    executions.labelValues(OUTCOMES.contains(outcome) ? outcome : "other").inc();
  }

  public void databaseCalled() {
    calls.inc();
  }

  /**
   * A call that began at {@code startNanos} has returned or failed.
   *
   * @param function the name of the SQL function: there are as many as the sources call
   */
  public void databaseAnswered(String function, long startNanos) {
    double seconds = secondsSince(startNanos);
    databaseCalls.observe(seconds);
    functions.labelValues(function).observe(seconds);
  }

  /** @param outcome {@code answered}, {@code behind} or {@code failed} */
  void replicaRead(String outcome) {
    replicaReads.labelValues(outcome).inc();
  }

  /** For the metrics endpoint. */
  public PrometheusRegistry registry() {
    return registry;
  }
}
