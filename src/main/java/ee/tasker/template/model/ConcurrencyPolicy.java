package ee.tasker.template.model;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How many tasks or steps may be active at the same time. A policy is identified by its scope, what
 * it counts and its key,
 * across all versions of a template.
 *
 * @param limit slots, per value of the key if there is one
 * @param key   JSON pointer (RFC 6901) into the task's context; empty when all share the slots
 */
public record ConcurrencyPolicy(int limit, Optional<String> key, LimitedUnit counts,
    WhenFull whenFull) {
  private static final Pattern POINTER = Pattern.compile("(/([^/~]|~[01])*)+");

  public ConcurrencyPolicy {
    Checks.range(limit, "concurrency.limit", 1, Limits.CONCURRENCY);
    Checks.present(key, "concurrency.key");
    Checks.require(key.map(ConcurrencyPolicy::isPointer).orElse(true),
        "concurrency.key must be a JSON pointer such as /customer_id");
    Checks.present(counts, "concurrency.counts");
    Checks.present(whenFull, "concurrency.when_full");
  }

  /** Whether it points inside a document. */
  public static boolean isPointer(String text) {
    return text.length() <= Limits.WORD && POINTER.matcher(text).matches();
  }

  /** Whether both would count the same tasks or steps. */
  public boolean isSameAs(ConcurrencyPolicy other) {
    return counts == other.counts && key.equals(other.key);
  }

  static List<ConcurrencyPolicy> distinct(List<ConcurrencyPolicy> policies, String field) {
    Checks.present(policies, field);
    Checks.require(policies.size() <= Limits.CONCURRENCY_POLICIES,
        field + " must have at most " + Limits.CONCURRENCY_POLICIES + " policies");
    Checks.require(
        policies.stream()
            .allMatch(policy -> policies.stream().filter(policy::isSameAs).count() == 1),
        field + " must not count the same by the same key twice");
    return List.copyOf(policies);
  }
}
