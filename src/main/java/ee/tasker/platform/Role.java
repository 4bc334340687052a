package ee.tasker.platform;

import java.util.Locale;

/** What a server takes part in. One server may have any of them; a deployment needs each at least once. */
public enum Role {
  /** Takes tasks in over REST. */
  API,
  /** Settles results, hands off steps, finalises tasks, polls. */
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
