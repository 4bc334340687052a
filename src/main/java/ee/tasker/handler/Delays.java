package ee.tasker.handler;

import java.time.Duration;

/** What a step may be asked to wait. */
final class Delays {

  private Delays() {
  }

  /**
   * @throws IllegalArgumentException when it is negative or longer than {@link
   * StepOutcome#LONGEST_DELAY}
   */
  static Duration checked(String field, Duration delay) {
    if (delay.isNegative() || delay.compareTo(StepOutcome.LONGEST_DELAY) > 0) {
      throw new IllegalArgumentException(
          field + " must be from 0 to ten years (" + StepOutcome.LONGEST_DELAY + "), not " + delay);
    }
    return delay;
  }
}
