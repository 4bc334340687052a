package ee.tasker.template.model;

import java.util.OptionalInt;

/**
 * How the effect of a step is undone.
 *
 * @param timeoutSeconds how long one attempt may run; empty for no limit of its own
 */
public record Compensation(HandlerReference handler, RetryPolicy retry, OptionalInt timeoutSeconds,
    CompensateWhen when) {

  /**
   * Ten attempts, delays of 1 s, 2 s and so on up to one hour: undoing is retried harder than
   * doing.
   */
  public static final RetryPolicy DEFAULT_RETRY = new RetryPolicy(true, 10, BackoffKind.EXPONENTIAL,
      1_000, 3_600_000, OnWorkerLost.RESCHEDULE);

  public Compensation {
    Checks.present(handler, "compensation.handler");
    Checks.present(retry, "compensation.retry");
    Checks.range(timeoutSeconds, "compensation.timeout_seconds", 1, Limits.TIMEOUT_SECONDS);
    Checks.present(when, "compensation.when");
  }
}
