package ee.tasker.dispatch;

import ee.tasker.platform.LiveSettings;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how many more steps this server may claim: a permit for each step of its capacity, kept from before the claim until the result is submitted. Thread-safe. */
@ApplicationScoped
public class Permits {
  @Inject
  private LiveSettings live;

  @Inject
  private PermitListener listener;

  private final AtomicInteger free = new AtomicInteger();
  /** How many more there are than the capacity says. */
  private final AtomicInteger expanded = new AtomicInteger();
  /** How many fewer there are, because their threads have not returned from steps that were given up. */
  private final AtomicInteger lost = new AtomicInteger();
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
    return permits;
  }

  /** Keeps up to {@code most} available permits for the caller; none while nothing is taken on. */
  int reserve(int most) {
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

  /** Of permits whose steps have just ended, how many may go on: fewer when a lowered capacity has left too many busy. */
  int retain(int ended) {
    while (true) {
      int now = free.get();
      int gone = Math.min(ended, Math.max(0, -now));
      if (gone == 0 || free.compareAndSet(now, now + gone)) {
        return ended - gone;
      }
    }
  }

  /** Permits that {@link #retain} took away are needed after all, for results that could not be submitted yet. */
  void reacquire(int count) {
    free.addAndGet(-count);
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
   * Waits, while draining, until every permit is back: no step is held, and no call is under way whose answer may still bring
   * some. False when that took too long.
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

  /** As many permits in all, from now on. With fewer than are busy none is free until enough of them have ended. */
  public synchronized void changeCapacity(int permits) {
    int more = permits - live.capacity();
    live.changeCapacity(permits);
    free.addAndGet(more);
    if (more > 0) {
      listener.permitsReleased();
    }
  }

  /** So many more than the capacity says, or fewer again with a negative number: what quick handlers may be ahead of themselves. */
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

  /** One fewer: a step is given up, and its thread goes on. With none free, the next that ends is not free again. */
  public void lose() {
    lost.incrementAndGet();
    free.decrementAndGet();
    wakeAwaitIdle();
  }

  /** The thread has returned. */
  public void regain() {
    lost.decrementAndGet();
    release(1);
  }

  /** Steps that may run at a time with the threads that are left. */
  public int capacityLeft() {
    return Math.max(0, live.capacity() - lost.get());
  }

  public int lostCount() {
    return lost.get();
  }

  public int freeCount() {
    return Math.max(0, free.get());
  }

  public void drain() {
    draining = true;
  }

  /** Claims again after {@link #drain}. */
  public void stopDraining() {
    draining = false;
  }

  /** While paused, what runs goes on and nothing is taken on. */
  public void pause(boolean whether) {
    paused = whether;
  }

  /** Whether steps are claimed at all. */
  public boolean takesOn() {
    return !draining && !paused;
  }

  public boolean isDraining() {
    return draining;
  }
}
