package ee.tasker.event;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Repeats a read, one at a time: after the pause that the last one asked for, or earlier when that
 * is requested. Thread-safe.
 */
final class PacedReads {
  private final ScheduledExecutorService timers;
  private final LongSupplier reading;
  private final long afterFaultMs;
  private final BooleanSupplier isNeeded;

  private ScheduledFuture<?> nextRead;
  private long nextReadAt;
  private boolean isReading;
  /**
   * Whether another read was requested while one was running; {@code wantedAt} is when it is due.
   */
  private boolean isWanted;
  private long wantedAt;

  /**
   * @param reading      reads, and returns the pause until the next read in ms
   * @param afterFaultMs the pause after a read that throws
   * @param isNeeded     whether reading goes on
   */
  PacedReads(ScheduledExecutorService timers, LongSupplier reading, long afterFaultMs,
      BooleanSupplier isNeeded) {
    this.timers = timers;
    this.reading = reading;
    this.afterFaultMs = afterFaultMs;
    this.isNeeded = isNeeded;
  }

  /** Reads after that time, unless a read is due earlier. */
  synchronized void in(long delayMs) {
    long at = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
    if (isReading) {
      // Scheduled only after that read: while the database is slow, each change would occupy one
      // more thread.
      wantedAt = isWanted && wantedAt - at <= 0 ? wantedAt : at;
      isWanted = true;
      return;
    }
    if (nextRead != null && nextReadAt - at <= 0) {
      return;
    }
    stop();
    nextReadAt = at;
    try {
      nextRead = timers.schedule(this::read, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException stopping) {
      // The caller that reports a change must not run the read itself.
      nextRead = null;
    }
  }

  private void read() {
    synchronized (this) {
      nextRead = null;
      isReading = true;
    }
    long pause = afterFaultMs;
    try {
      pause = reading.getAsLong();
    } finally {
      synchronized (this) {
        isReading = false;
        if (isWanted) {
          isWanted = false;
          pause = Math.min(pause,
              Math.max(0, TimeUnit.NANOSECONDS.toMillis(wantedAt - System.nanoTime())));
        }
      }
      if (isNeeded.getAsBoolean()) {
        in(pause);
      }
    }
  }

  /** Cancels the next read; one that is running ends. */
  synchronized void stop() {
    if (nextRead != null) {
      nextRead.cancel(false);
      nextRead = null;
    }
  }
}
