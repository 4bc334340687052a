package ee.tasker.platform.load;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Decides which caller calls the database for all pending items. A lone caller is admitted at once;
 * items that arrive while
 * a call is under way go together in the next, because one transaction for all costs a fraction of
 * one for each. A further
 * concurrent call is admitted when enough items are pending, or when the call under way is slow.
 * Under load a call begins a little later than it could,
 * as {@link CallPace} says, unless enough items are pending.
 *
 * <p>A caller that {@link #tryAcquire} admitted checks for more items after {@link #release}; one
 * that was turned away may
 * leave. Thread-safe.
 */
public final class CallCoalescer {
  private static final Duration SLOW = Duration.ofMillis(20);
  private static final Duration GIVES_WAY = Duration.ofMillis(5);

  private final int most;
  private final int enough;
  private final ScheduledExecutorService timers;
  private final Runnable retry;
  private final LongSupplier nanoTime;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicBoolean retryPlanned = new AtomicBoolean();
  private final AtomicBoolean pausePlanned = new AtomicBoolean();
  private final CallPace pace = new CallPace();
  private volatile long lastBegan;

  /**
   * @param most    maximum number of concurrent calls
   * @param enough  number of pending items from which a further call is admitted beside a quick one
   * @param retry   retries callers that were turned away, or whose call hangs; runs on a thread of
   *   the timers
   */
  public CallCoalescer(int most, int enough, ScheduledExecutorService timers, Runnable retry) {
    this(most, enough, timers, retry, System::nanoTime);
  }

  CallCoalescer(int most, int enough, ScheduledExecutorService timers, Runnable retry,
      LongSupplier nanoTime) {
    this.most = most;
    this.enough = enough;
    this.timers = timers;
    this.retry = retry;
    this.nanoTime = nanoTime;
  }

  /** Adds to the number of pending items; call it after other callers can see the items. */
  public void added(int items) {
    pending.addAndGet(items);
  }

  /**
   * Says what an admitted caller takes along.
   *
   * @param tasks of how many tasks the items are
   */
  public void took(int items, int tasks) {
    pending.addAndGet(-items);
    pace.began(tasks);
  }

  /** True when the caller may make a call now; it must then {@link #release} it. */
  public boolean tryAcquire() {
    while (true) {
      int others = underWay.get();
      if (others >= most) {
        return false;
      }
      if (others > 0 && pending.get() < enough
          && nanoTime.getAsLong() - lastBegan < SLOW.toNanos()) {
        retryLater();
        return false;
      }
      if (others == 0 && pauses()) {
        return false;
      }
      if (underWay.compareAndSet(others, others + 1)) {
        lastBegan = nanoTime.getAsLong();
        return true;
      }
    }
  }

  public void release() {
    pace.ended(nanoTime.getAsLong() - lastBegan);
    underWay.decrementAndGet();
  }

  /**
   * For a caller that lets other calls go first: the items are retried soon.
   *
   * @return false when there will be no retry, because the server is stopping
   */
  public boolean giveWay() {
    return retryIn(GIVES_WAY.toNanos(), pausePlanned);
  }

  /** Whether the next call begins later; the items are retried then. */
  private boolean pauses() {
    long now = nanoTime.getAsLong();
    long left = lastBegan + pace.distanceNanos(now) - now;
    return left > 0 && pending.get() < enough && retryIn(left, pausePlanned);
  }

  private void retryLater() {
    // When the server is stopping, the admitted caller checks again.
    retryIn(SLOW.toNanos(), retryPlanned);
  }

  /** @return false when there will be no retry, because the server is stopping */
  private boolean retryIn(long nanos, AtomicBoolean planned) {
    if (planned.compareAndSet(false, true)) {
      try {
        timers.schedule(() -> retryNow(planned), nanos, TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException e) {
        planned.set(false);
        return false;
      }
    }
    return true;
  }

  private void retryNow(AtomicBoolean planned) {
    planned.set(false);
    if (pending.get() > 0) {
      retry.run();
    }
  }
}
