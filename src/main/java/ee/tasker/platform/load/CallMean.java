package ee.tasker.platform.load;

/**
 * What calls take for each of their items, in nanoseconds: a mean of which the latest calls count
 * for most. Thread-safe.
 */
final class CallMean {
  /** What a call costs beside its items, in items. */
  private static final int CALL = 4;
  /** As how many times the mean a call counts at most: a pause of the machine is one call. */
  private static final int MOST_TIMES_AT_ONCE = 4;

  private final int calls;
  private double mean;

  /** @param calls that the mean is of, about */
  CallMean(int calls) {
    this.calls = calls;
  }

  static double each(int items, long nanos) {
    return (double) Math.max(nanos, 1) / (items + CALL);
  }

  synchronized void add(double each) {
    mean = mean == 0 ? each : mean + (Math.min(each, MOST_TIMES_AT_ONCE * mean) - mean) / calls;
  }

  /** Zero before the first call. */
  synchronized double value() {
    return mean;
  }
}
