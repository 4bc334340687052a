package ee.tasker.template.model;

import java.util.Optional;
import java.util.OptionalInt;

/** The retry keys that were given; the others keep their value. */
public record RetryOverride(Optional<Boolean> retryable, OptionalInt maxAttempts,
    Optional<BackoffKind> backoff, OptionalInt backoffBaseMs, OptionalInt maxBackoffMs,
    Optional<OnWorkerLost> onWorkerLost) {

  public static final RetryOverride NOTHING = new RetryOverride(
      Optional.empty(), OptionalInt.empty(), Optional.empty(), OptionalInt.empty(),
      OptionalInt.empty(), Optional.empty());

  public RetryOverride {
    Checks.present(retryable, "retryable");
    Checks.present(backoff, "backoff");
    Checks.present(onWorkerLost, "on_worker_lost");
    Checks.range(maxAttempts, "max_attempts", 0, Limits.MAX_ATTEMPTS);
    Checks.range(backoffBaseMs, "backoff_base_ms", 1, Limits.BACKOFF_BASE_MS);
    Checks.range(maxBackoffMs, "max_backoff_ms", 1, Limits.MAX_BACKOFF_MS);
  }

  /** Whether the cap would be below the base once this is applied to {@code policy}. */
  public boolean contradicts(RetryPolicy policy) {
    return maxBackoffMs.orElse(policy.maxBackoffMs()) < backoffBaseMs
        .orElse(policy.backoffBaseMs());
  }

  /** @throws IllegalArgumentException when it {@link #contradicts} the policy */
  public RetryPolicy applyTo(RetryPolicy policy) {
    return new RetryPolicy(retryable.orElse(policy.retryable()),
        maxAttempts.orElse(policy.maxAttempts()), backoff.orElse(policy.backoff()),
        backoffBaseMs.orElse(policy.backoffBaseMs()), maxBackoffMs.orElse(policy.maxBackoffMs()),
        onWorkerLost.orElse(policy.onWorkerLost()));
  }
}
