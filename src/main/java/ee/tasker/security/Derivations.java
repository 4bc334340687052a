package ee.tasker.security;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Hashes passwords, a few at a time, because each hash takes a fifth of a second of CPU time or
 * more. Others wait in order
 * of arrival. The queue is limited to what can be served within the longest wait, so that requests
 * with wrong passwords do
 * not occupy the threads of all others; further requests are told at once to retry later.
 * Thread-safe.
 */
final class Derivations {
  private final Semaphore permits;
  private final int mostWaiting;
  private final Duration longestWait;

  /**
   * @param most        concurrent derivations
   * @param mostWaiting callers that may wait besides
   * @param longestWait for one caller
   */
  Derivations(int most, int mostWaiting, Duration longestWait) {
    permits = new Semaphore(most, true);
    this.mostWaiting = mostWaiting;
    this.longestWait = longestWait;
  }

  /** Not checked: says nothing about the password. */
  static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
      super("too many passwords wait to be checked", null, false, false);
    }
  }

  /**
   * Also when it is the cause of another exception: application servers wrap what an identity store
   * throws.
   */
  static boolean isBusy(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof Busy) {
        return true;
      }
    }
    return false;
  }

  /** @throws Busy when too many callers wait already, or this one has waited too long */
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
