package ee.tasker.platform.sql;

import jakarta.enterprise.context.RequestScoped;
import java.time.Duration;
import java.util.Optional;

/**
 * How stale the answer to this request may be, and how stale it is. Nothing is allowed unless the
 * request asks for it.
 */
@RequestScoped
public class StaleReads {
  private Duration allowed;
  private Duration staleness;

  /** @param allowed the most that the caller accepts */
  public void allow(Duration allowed) {
    this.allowed = allowed;
  }

  Optional<Duration> allowed() {
    return Optional.ofNullable(allowed);
  }

  void answeredByReplica(Duration at) {
    staleness = staleness == null || at.compareTo(staleness) > 0 ? at : staleness;
  }

  /** An upper bound for the stalest part of the answer; empty when the primary gave all of it. */
  public Optional<Duration> staleness() {
    return Optional.ofNullable(staleness);
  }
}
