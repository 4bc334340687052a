package ee.tasker.platform.load;

import java.time.Duration;

/**
 * How far apart the calls of a {@link CallCoalescer} begin. A call has a fixed cost that is ten or
 * twenty times that of an item, so under load a short pause
 * gathers more items per call and costs less than it saves. Without load there is no pause: a
 * client that waits for each of its tasks is answered as
 * quickly as before. Thread-safe.
 *
 * <p>The distance follows the usual duration of a call: short where the database is quick or has
 * processors to spare, longer the more it has to do.
 */
final class CallPace {
  private static final Duration WINDOW = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofMillis(20);
  private static final double DURATIONS_APART = 1.5;
  /**
   * Below this, calls hardly meet each other: what one client does step by step has one task in
   * each of its calls.
   */
  private static final double BUSY_TASKS_PER_CALL = 1.25;
  private static final int WORTH_WAITING_FOR = 2;
  private static final double WEIGHT_OF_THE_LAST = 1.0 / 8;

  private long windowBegan;
  private int calls;
  private int tasks;
  private double usualNanos;
  private boolean isBusy;

  /** @param ofTasks number of tasks whose items the call has */
  synchronized void began(int ofTasks) {
    calls++;
    tasks += ofTasks;
  }

  synchronized void ended(long durationNanos) {
    usualNanos += (durationNanos - usualNanos) * WEIGHT_OF_THE_LAST;
  }

  /** The least time from the beginning of one call to that of the next; 0 without load. */
  synchronized long distanceNanos(long now) {
    double distance = Math.min(LONGEST.toNanos(), usualNanos * DURATIONS_APART);
    long elapsed = now - windowBegan;
    if (elapsed >= WINDOW.toNanos()) {
      isBusy = tasks * distance >= WORTH_WAITING_FOR * (double) elapsed
          && tasks >= calls * BUSY_TASKS_PER_CALL;
      windowBegan = now;
      calls = 0;
      tasks = 0;
    }
    return isBusy ? (long) distance : 0;
  }
}
