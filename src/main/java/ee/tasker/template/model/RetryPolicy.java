package ee.tasker.template.model;

/**
 * When a failed step is retried.
 *
 * @param retryable     whether there is any attempt after the first
 * @param maxAttempts   the total number of attempts; the first is always allowed, even with 0
 * @param backoffBaseMs the first delay, in milliseconds
 * @param maxBackoffMs  the longest delay, in milliseconds; at least {@code backoffBaseMs}
 * @param onWorkerLost  whether an attempt that its worker did not finish counts as failed and is
 *   followed by the next
 */
public record RetryPolicy(boolean retryable, int maxAttempts, BackoffKind backoff,
    int backoffBaseMs, int maxBackoffMs, OnWorkerLost onWorkerLost) {

  /** Three attempts, delays of 1 s, 2 s and so on up to one minute. */
  public static final RetryPolicy DEFAULT = new RetryPolicy(true, 3, BackoffKind.EXPONENTIAL, 1_000,
      60_000, OnWorkerLost.RESCHEDULE);

  /** One attempt: a child task has retries of its own. */
  public static final RetryPolicy OF_A_CHILD = new RetryPolicy(true, 1, BackoffKind.EXPONENTIAL,
      1_000, 60_000, OnWorkerLost.RESCHEDULE);

  public RetryPolicy {
    Checks.range(maxAttempts, "max_attempts", 0, Limits.MAX_ATTEMPTS);
    Checks.present(backoff, "backoff");
    Checks.present(onWorkerLost, "on_worker_lost");
    Checks.range(backoffBaseMs, "backoff_base_ms", 1, Limits.BACKOFF_BASE_MS);
    Checks.range(maxBackoffMs, "max_backoff_ms", 1, Limits.MAX_BACKOFF_MS);
    Checks.require(maxBackoffMs >= backoffBaseMs,
        "max_backoff_ms " + maxBackoffMs + " must not be less than backoff_base_ms "
            + backoffBaseMs);
  }
}
