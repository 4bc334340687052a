package ee.tasker.template;

import ee.tasker.template.model.BackoffKind;
import ee.tasker.template.model.Limits;
import ee.tasker.template.model.OnWorkerLost;
import ee.tasker.template.model.RetryOverride;
import ee.tasker.template.model.RetryPolicy;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads {@code retry}, of a step or of an environment.
 *
 * @param given the keys that were given
 * @param place where to report a contradiction
 */
record RetryReader(RetryOverride given, Located place) {

  static Optional<RetryReader> read(Keys step) {
    return step.find("retry").flatMap(Located::keys).map(keys -> {
      var retryable = keys.find("retryable").flatMap(Located::flag);
      var maxAttempts = number(keys, "max_attempts", 0, Limits.MAX_ATTEMPTS);
      var backoff = keys.find("backoff").flatMap(value -> value.oneOf(BackoffKind.class));
      var base = number(keys, "backoff_base_ms", 1, Limits.BACKOFF_BASE_MS);
      var cap = number(keys, "max_backoff_ms", 1, Limits.MAX_BACKOFF_MS);
      var onWorkerLost = keys.find("on_worker_lost")
          .flatMap(value -> value.oneOf(OnWorkerLost.class));
      keys.refuseOthers();
      return new RetryReader(
          new RetryOverride(retryable, maxAttempts, backoff, base, cap, onWorkerLost),
          keys.find("max_backoff_ms").or(() -> keys.find("backoff_base_ms"))
              .orElse(keys.mapping()));
    });
  }

  /**
   * {@code policy} with these keys applied; a contradiction is a problem and leaves {@code policy}
   * unchanged.
   */
  RetryPolicy applyTo(RetryPolicy policy, String forWhom) {
    if (given.contradicts(policy)) {
      place.refuse("max_backoff_ms " + given.maxBackoffMs().orElse(policy.maxBackoffMs())
          + " must not be less than backoff_base_ms "
          + given.backoffBaseMs().orElse(policy.backoffBaseMs()) + forWhom);
      return policy;
    }
    return given.applyTo(policy);
  }

  static OptionalInt number(Keys keys, String key, int min, int max) {
    return keys.find(key).map(value -> value.number(min, max)).orElse(OptionalInt.empty());
  }
}
