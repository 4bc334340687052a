package ee.tasker.dispatch;

import ee.tasker.platform.config.LiveSettings;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts how many more steps this server may claim: one permit per step of its capacity, held from
 * before the claim until
 * the result is submitted. Thread-safe.
 */
@ApplicationScoped
public class Permits {
  @Inject
  private LiveSettings live;

  @Inject
  private PermitListener listener;

  private final AtomicInteger free = new AtomicInteger();
  /** Permits beyond the capacity, for prefetched steps. */
  private final AtomicInteger expanded = new AtomicInteger();
  /** Permits withdrawn because their threads have not returned from steps that have ended. */
  private final AtomicInteger lost = new AtomicInteger();
  private volatile boolean registered;
  private volatile boolean draining;
  private volatile boolean paused;

  @PostConstruct
  void prepare() {
    free.set(live.capacity());
  }

  static Permits of(LiveSettings live, PermitListener listener) {
    Permits permits = new Permits();
    permits.live = live;
    permits.listener = listener;
    permits.prepare();
    permits.registered = true;
    return permits;
  }

  /**
   * The permits of one call, which may use {@link #limit()} of them. It ends with one of {@link
   * #settle} and {@link #giveBack}.
   */
  final class Reservation {
    private final int limit;
    private final int ended;
    private final int retained;

    /**
     * @param ended    number of steps whose results the call submits, whose permits it brings along
     * @param retained how many of these remain after a reduction of the capacity
     */
    private Reservation(int limit, int ended, int retained) {
      this.limit = limit;
      this.ended = ended;
      this.retained = retained;
    }

    int limit() {
      return limit;
    }

    /** The call was made, and its steps that it has claimed keep their permits. */
    void settle(int claimed) {
      release(limit - claimed);
    }

    /** The call failed: the steps whose results it should submit hold theirs again. */
    void giveBack() {
      release(limit - retained);
      free.addAndGet(retained - ended);
    }
  }

  /** Reserves up to {@code most} available permits; none while this server does not claim. */
  Reservation take(int most) {
    return new Reservation(reserve(most), 0, 0);
  }

  /**
   * Passes on the permits of steps that have just ended, fewer when more are busy than a reduced
   * capacity allows, and reserves up to {@code most} more, but no more than half of those that are
   * available, so that a call that needs few does not keep the steps of a submission beside it
   * from being claimed at once.
   */
  Reservation passOn(int ended, int most) {
    int retained = retain(ended);
    return new Reservation(retained + reserve(Math.min(most, (freeCount() + 1) / 2)), ended,
        retained);
  }

  private int reserve(int most) {
    if (!takesOn()) {
      return 0;
    }
    while (true) {
      int now = free.get();
      int taken = Math.min(now, most);
      if (taken <= 0) {
        return 0;
      }
      if (free.compareAndSet(now, now - taken)) {
        return taken;
      }
    }
  }

  private int retain(int ended) {
    while (true) {
      int now = free.get();
      int gone = Math.min(ended, Math.max(0, -now));
      if (gone == 0 || free.compareAndSet(now, now + gone)) {
        return ended - gone;
      }
    }
  }

  public void release(int count) {
    if (count > 0) {
      free.addAndGet(count);
      wakeAwaitIdle();
      listener.permitsReleased();
    }
  }

  private void wakeAwaitIdle() {
    if (draining) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /**
   * Waits, while draining, until every permit is released: this server holds no step, and no call
   * is under way whose reply
   * may bring one. False when that takes longer than {@code longest}.
   */
  public synchronized boolean awaitIdle(Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (free.get() < live.capacity() + expanded.get() - lost.get()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  /**
   * Sets the number of permits. If more are busy than that, none is available until enough steps
   * have ended.
   */
  public synchronized void changeCapacity(int permits) {
    int more = permits - live.capacity();
    live.changeCapacity(permits);
    free.addAndGet(more);
    if (more > 0) {
      listener.permitsReleased();
    }
  }

  /**
   * Adds permits beyond the capacity for prefetched steps, or with a negative number removes them
   * again.
   */
  void expand(int more) {
    if (more > 0) {
      expanded.addAndGet(more);
      release(more);
    } else {
      free.addAndGet(more);
      expanded.addAndGet(more);
      wakeAwaitIdle();
    }
  }

  /**
   * Withdraws a permit: a step has ended but its thread has not returned. If none is available, the
   * next released one is withdrawn.
   */
  public void lose() {
    lost.incrementAndGet();
    free.decrementAndGet();
    wakeAwaitIdle();
  }

  /** Returns the withdrawn permit: the thread has returned. */
  public void regain() {
    lost.decrementAndGet();
    release(1);
  }

  /** How many steps may run at a time on the remaining threads. */
  public int capacityLeft() {
    return Math.max(0, live.capacity() - lost.get());
  }

  public int lostCount() {
    return lost.get();
  }

  public int freeCount() {
    return Math.max(0, free.get());
  }

  /**
   * The database knows the handlers of this server, which may claim from now on: the database
   * offers steps of any handler
   * to a worker that it does not know.
   */
  public void register() {
    if (!registered) {
      registered = true;
      listener.permitsReleased();
    }
  }

  public void drain() {
    draining = true;
  }

  /** Claims again after {@link #drain}. */
  public void stopDraining() {
    draining = false;
  }

  /** While paused, running steps continue and no step is claimed. */
  public void pause(boolean whether) {
    paused = whether;
  }

  /** Whether this server claims steps at all. */
  public boolean takesOn() {
    return registered && !draining && !paused;
  }

  public boolean isDraining() {
    return draining;
  }
}
