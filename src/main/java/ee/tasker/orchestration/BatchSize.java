package ee.tasker.orchestration;

/**
 * How many items a duty takes in one call: much less after the database gave a call up, because it
 * took too long or too much memory, and twice as many after each that went well. So the items of
 * others get through beside one that is too expensive, and that one is found. For one thread.
 */
final class BatchSize {
  private static final int LESS = 8;

  private final int most;
  private int size;

  BatchSize(int most) {
    this.most = most;
    size = most;
  }

  int get() {
    return size;
  }

  void wentWell() {
    size = Math.min(most, 2 * size);
  }

  /** @return whether the call was for one item, so that it is that one */
  boolean wasGivenUp() {
    boolean wasOne = size == 1;
    size = Math.max(1, size / LESS);
    return wasOne;
  }
}
