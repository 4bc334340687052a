package ee.tasker.platform.log;

import java.time.Duration;

/**
 * Counts the calls that fail while the database is away, and decides which of them are logged.
 * Times are of {@link
 * System#nanoTime}. Thread-safe.
 */
public final class Outage {
  private static final long LINE_EVERY_NANOS = Duration.ofSeconds(30).toNanos();

  private int failures;
  private long began;
  private long lastLine;

  /** An outage that has ended: how long it lasted, and how many calls failed. */
  public record Over(Duration lasted, int failures) {
  }

  /**
   * @return how many calls have failed since the outage began, including this one, if that should
   * be logged; otherwise 0
   */
  public synchronized int failed(long now) {
    failures++;
    if (failures == 1) {
      began = now;
    } else if (now - lastLine < LINE_EVERY_NANOS) {
      return 0;
    }
    lastLine = now;
    return failures;
  }

  /** @return null when there was no outage */
  public synchronized Over end(long now) {
    if (failures == 0) {
      return null;
    }
    Over over = new Over(Duration.ofNanos(now - began), failures);
    failures = 0;
    return over;
  }
}
