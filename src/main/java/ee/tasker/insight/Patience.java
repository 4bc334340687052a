package ee.tasker.insight;

import java.time.Duration;

/** How long a periodic activity may stay silent before it counts as stuck. */
final class Patience {
  private static final int PERIODS = 5;
  /**
   * A lower bound for any period: a long pause of the garbage collector or the machine must not
   * count as stuck.
   */
  private static final Duration LEAST = Duration.ofMinutes(1);

  private Patience() {
  }

  static Duration with(Duration period) {
    Duration patience = period.multipliedBy(PERIODS);
    return patience.compareTo(LEAST) < 0 ? LEAST : patience;
  }
}
