package ee.tasker.platform.config;

import java.util.Locale;

/** A server's roles. One server may have any of them; a deployment needs each at least once. */
public enum Role {
  /** Accepts tasks over REST. */
  API,
  /** Processes results, hands off steps, completes tasks, polls. */
  ORCHESTRATOR,
  /** Claims steps and runs handlers. */
  WORKER;

  static Role parse(String text) {
    return valueOf(text.strip().toUpperCase(Locale.ROOT));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
