package ee.tasker.platform;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Says which caller calls the database for all that is pending. A lone one goes at once; what comes while a call is under way goes
 * together in the next, because the same work in one transaction costs a fraction of what it costs in many. A further call at
 * the same time is worth it when much is pending, or when the one under way is slow to come back.
 *
 * <p>A caller that was let in by {@link #tryAcquire} checks for more after {@link #release}; one that was not may leave. Thread-safe.
 */
public final class CallCoalescer {
  private static final Duration SLOW = Duration.ofMillis(20);

  private final int most;
  private final int company;
  private final ScheduledExecutorService timers;
  private final Runnable look;
  private final LongSupplier nanoTime;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicBoolean lookPlanned = new AtomicBoolean();
  private volatile long lastBegan;

  /**
   * @param most    calls under way at a time at most
   * @param company how many have to be pending for a further call beside one that is quick
   * @param look    tries again, for callers that were turned away by a call that hangs; on a thread of the timers
   */
  public CallCoalescer(int most, int company, ScheduledExecutorService timers, Runnable look) {
    this(most, company, timers, look, System::nanoTime);
  }

  CallCoalescer(int most, int company, ScheduledExecutorService timers, Runnable look, LongSupplier nanoTime) {
    this.most = most;
    this.company = company;
    this.timers = timers;
    this.look = look;
    this.nanoTime = nanoTime;
  }

  /** Changes how many are pending; to be called after they are where other callers find them. */
  public void added(int more) {
    pending.addAndGet(more);
  }

  /** True for a caller that is to make a call now, and to {@link #release} it. */
  public boolean tryAcquire() {
    while (true) {
      int others = underWay.get();
      if (others >= most) {
        return false;
      }
      if (others > 0 && pending.get() < company && nanoTime.getAsLong() - lastBegan < SLOW.toNanos()) {
        lookLater();
        return false;
      }
      if (underWay.compareAndSet(others, others + 1)) {
        lastBegan = nanoTime.getAsLong();
        return true;
      }
    }
  }

  public void release() {
    underWay.decrementAndGet();
  }

  private void lookLater() {
    if (lookPlanned.compareAndSet(false, true)) {
      try {
        timers.schedule(this::lookNow, SLOW.toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        // The server is going down: the caller that was let in looks again.
        lookPlanned.set(false);
      }
    }
  }

  private void lookNow() {
    lookPlanned.set(false);
    if (pending.get() > 0) {
      look.run();
    }
  }
}
