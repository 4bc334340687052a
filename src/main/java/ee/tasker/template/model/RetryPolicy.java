package ee.tasker.template.model;

/**
 * When a failed step is tried again.
 *
 * @param retryable     whether there is any attempt after the first
 * @param maxAttempts   all attempts counted; the first is always allowed, even with 0
 * @param backoffBaseMs the first wait, in milliseconds
 * @param maxBackoffMs  no wait is longer, in milliseconds; not less than {@code backoffBaseMs}
 * @param onWorkerLost  whether an attempt that no worker brought to an end counts as one that failed and is followed by the next
 */
public record RetryPolicy(boolean retryable, int maxAttempts, BackoffKind backoff, int backoffBaseMs, int maxBackoffMs,
    OnWorkerLost onWorkerLost) {

  /** Three attempts, waits of 1 s, 2 s and so on up to one minute. */
  public static final RetryPolicy DEFAULT = new RetryPolicy(true, 3, BackoffKind.EXPONENTIAL, 1_000, 60_000, OnWorkerLost.RESCHEDULE);

  public RetryPolicy {
    Checks.range(maxAttempts, "max_attempts", 0, Limits.MAX_ATTEMPTS);
    Checks.present(backoff, "backoff");
    Checks.present(onWorkerLost, "on_worker_lost");
    Checks.range(backoffBaseMs, "backoff_base_ms", 1, Limits.BACKOFF_BASE_MS);
    Checks.range(maxBackoffMs, "max_backoff_ms", 1, Limits.MAX_BACKOFF_MS);
    Checks.require(maxBackoffMs >= backoffBaseMs,
        "max_backoff_ms " + maxBackoffMs + " must not be less than backoff_base_ms " + backoffBaseMs);
  }
}
