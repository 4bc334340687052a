package ee.tasker.engine.model;

import java.util.Locale;

/** How one handoff of a step ended, as {@code tasker.complete_steps} reads it. */
public enum Outcome {
  SUCCESS, RETRYABLE_FAILURE, PERMANENT_FAILURE, CANCELLED, YIELDED;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** As SQL, logs and metrics spell it. */
  public String word() {
    return word;
  }

  /** Whether the step is done, and its result is what successors see. */
  public boolean endsWell() {
    return this == SUCCESS;
  }

  /** Whether what the handler has written counts: that of one that yields too. */
  public boolean commits() {
    return endsWell() || this == YIELDED;
  }

  @Override
  public String toString() {
    return word;
  }
}
