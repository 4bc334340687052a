package ee.tasker.platform.load;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many times longer calls of one function take now than they did when the machine had time for
 * them. What that was is remembered: it doubles in an hour, so that calls that became dearer for
 * good are the usual ones after a while. Thread-safe.
 */
final class Slowdown {
  private static final int CALLS = 32;
  private static final double DOUBLES_IN = Duration.ofHours(1).toNanos();

  private final LongSupplier nanoTime;
  private final CallMean now = new CallMean(CALLS);
  private double best;
  private long last;

  Slowdown(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void called(int items, long nanos) {
    now.add(CallMean.each(items, nanos));
    long time = nanoTime.getAsLong();
    best = best == 0 ? now.value()
        : Math.min(best * Math.pow(2, (time - last) / DOUBLES_IN), now.value());
    last = time;
  }

  /** One before the first call, and where there is no slowdown. */
  synchronized double times() {
    return best == 0 ? 1 : now.value() / best;
  }
}
