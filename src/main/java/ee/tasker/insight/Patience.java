package ee.tasker.insight;

import java.time.Duration;

/** How long something periodic may be silent before it counts as stuck. */
final class Patience {
  private static final int PERIODS = 5;
  /** Whatever the period: a long pause of the garbage collector, or of the machine, is not the end. */
  private static final Duration LEAST = Duration.ofMinutes(1);

  private Patience() {
  }

  static Duration with(Duration period) {
    Duration patience = period.multipliedBy(PERIODS);
    return patience.compareTo(LEAST) < 0 ? LEAST : patience;
  }
}
