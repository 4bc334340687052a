package ee.tasker.platform;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Says who calls the database for all that has pending. A lone one goes at once; what comes while a call is under way goes
 * together in the next, because the same work in one transaction costs a fraction of what it costs in many. A further call at
 * the same time is worth it when much has pending, or when the one under way is slow to come back.
 *
 * <p>Whoever was let in by {@link #tryAcquire} looks for more after {@link #release}; whoever was not may leave. Thread-safe.
 */
public final class CallCoalescer {
  private static final Duration SLOW = Duration.ofMillis(20);

  private final int most;
  private final int company;
  private final ScheduledExecutorService timers;
  private final Runnable look;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicBoolean lookPlanned = new AtomicBoolean();
  private volatile long lastBegan;

  /**
   * @param most    calls under way at a time at most
   * @param company how many have to be waiting for a further call beside one that is quick
   * @param look    somebody looks again, for those who were sent away and a call that does not come back; on a thread of the timers
   */
  public CallCoalescer(int most, int company, ScheduledExecutorService timers, Runnable look) {
    this.most = most;
    this.company = company;
    this.timers = timers;
    this.look = look;
  }

  /** So many more wait, or fewer with a negative number; to be said after they are where others find them. */
  public void added(int more) {
    pending.addAndGet(more);
  }

  /** True for whoever is to make a call now, and to {@link #release} it. */
  public boolean tryAcquire() {
    while (true) {
      int others = underWay.get();
      if (others >= most) {
        return false;
      }
      if (others > 0 && pending.get() < company && System.nanoTime() - lastBegan < SLOW.toNanos()) {
        lookLater();
        return false;
      }
      if (underWay.compareAndSet(others, others + 1)) {
        lastBegan = System.nanoTime();
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
        // The server is going down: whoever is at it looks again.
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
