package ee.tasker.template;

import java.time.Duration;

/**
 * The time for the validations of one transaction, so that its locks do not wait for the worst of
 * many values: a round that
 * has used it up leaves the other values to the next one.
 */
public final class ValidationTime {
  private static final Duration MOST = Duration.ofSeconds(2);

  private final long start = System.nanoTime();

  private ValidationTime() {}

  public static ValidationTime start() {
    return new ValidationTime();
  }

  public boolean isUsedUp() {
    return System.nanoTime() - start > MOST.toNanos();
  }
}
