package ee.tasker.orchestration;

import java.time.Duration;

/**
 * How long after one roll-up the next begins: as long as moves enough for a short call need to
 * gather. What would keep a processor busy for a second after half a minute
 * is done in as many parts as it takes for the tasks that are under way not to notice. Not
 * thread-safe.
 */
final class RollUpPace {
  static final Duration LONGEST = Duration.ofSeconds(30);
  static final Duration SHORTEST = Duration.ofSeconds(2);
  static final Duration CALL = Duration.ofMillis(50);
  /**
   * One quick call, for example while another server counts, does not mean that there is nothing to
   * count.
   */
  private static final double GROWS_BY = 2;

  private Duration interval = LONGEST;

  Duration interval() {
    return interval;
  }

  /** A call took that long for what had gathered in the interval. */
  void took(Duration call) {
    double factor = Math.min(GROWS_BY, CALL.toNanos() / (double) Math.max(1, call.toNanos()));
    long next = (long) (interval.toNanos() * factor);
    interval = Duration.ofNanos(Math.max(SHORTEST.toNanos(), Math.min(LONGEST.toNanos(), next)));
  }
}
