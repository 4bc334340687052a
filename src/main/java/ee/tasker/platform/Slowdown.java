package ee.tasker.platform;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many times longer calls of one function take now than they did when the machine had time for
 * them. What that was is remembered: it doubles in an hour, so that calls that became dearer for
 * good are the usual ones after a while. Thread-safe.
 */
final class Slowdown {
  /** The latest calls that a mean is of. */
  private static final int CALLS = 32;
  private static final int MOST_TIMES_AT_ONCE = 4;
  /** What a call costs beside its items, in items. */
  private static final int CALL = 4;
  private static final double DOUBLES_IN = Duration.ofHours(1).toNanos();

  private final LongSupplier nanoTime;
  private double now;
  private double best;
  private long last;

  Slowdown(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void called(int items, long nanos) {
    double each = (double) Math.max(nanos, 1) / (items + CALL);
    long time = nanoTime.getAsLong();
    if (best == 0) {
      now = each;
      best = each;
    } else {
      now += (Math.min(each, MOST_TIMES_AT_ONCE * now) - now) / CALLS;
      best = Math.min(best * Math.pow(2, (time - last) / DOUBLES_IN), now);
    }
    last = time;
  }

  /** One before the first call, and where there is no slowdown. */
  synchronized double times() {
    return best == 0 ? 1 : now / best;
  }
}
