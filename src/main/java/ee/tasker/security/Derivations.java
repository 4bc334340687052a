package ee.tasker.security;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Derives hashes of passwords, a few at a time, because each takes a processor for a fifth of a second and more. Those that come meanwhile wait in the order in which
 * they came. So that the wait is short, and requests with wrong passwords do not keep the threads of all others, no more wait than can expect to
 * be served in it: the rest is told at once to come again. Thread-safe.
 */
final class Derivations {
  private final Semaphore permits;
  private final int mostWaiting;
  private final Duration longestWait;

  /**
   * @param most        derivations at a time
   * @param mostWaiting that may wait besides
   * @param longestWait for one of them
   */
  Derivations(int most, int mostWaiting, Duration longestWait) {
    permits = new Semaphore(most, true);
    this.mostWaiting = mostWaiting;
    this.longestWait = longestWait;
  }

  /** Not looked at: nothing is said about the password. */
  static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
      super("too many passwords wait to be checked", null, false, false);
    }
  }

  /** @throws Busy when too many wait already, or this one has waited for too long */
  boolean run(BooleanSupplier derivation) {
    if (!permits.tryAcquire()) {
      await();
    }
    try {
      return derivation.getAsBoolean();
    } finally {
      permits.release();
    }
  }

  int waiting() {
    return permits.getQueueLength();
  }

  private void await() {
    if (permits.getQueueLength() >= mostWaiting) {
      throw new Busy();
    }
    try {
      if (!permits.tryAcquire(longestWait.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new Busy();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Busy();
    }
  }
}
