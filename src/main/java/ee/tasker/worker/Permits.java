package ee.tasker.worker;

import ee.tasker.platform.LiveSettings;
import ee.tasker.step.model.StepKey;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts this server's available permits and knows what the busy ones do. Thread-safe. */
@ApplicationScoped
class Permits {
  @Inject
  private LiveSettings live;

  private final AtomicInteger free = new AtomicInteger();
  /** How many more there are than the capacity says. */
  private final AtomicInteger expanded = new AtomicInteger();
  /** How many fewer there are, because their threads have not returned from steps that were given up. */
  private final AtomicInteger lost = new AtomicInteger();
  private final Map<StepKey, RunningStep> busy = new ConcurrentHashMap<>();
  private final AtomicBoolean queuesMayHaveSteps = new AtomicBoolean(true);
  private volatile boolean draining;
  private volatile boolean paused;
  private volatile Runnable onMoreResults = () -> {};
  private volatile Runnable onWantedPermits = () -> {};

  @PostConstruct
  void prepare() {
    free.set(live.capacity());
  }

  static Permits of(LiveSettings live) {
    Permits permits = new Permits();
    permits.live = live;
    permits.prepare();
    return permits;
  }

  /** Keeps up to {@code most} available permits for the caller. */
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

  void release(int count) {
    if (count > 0) {
      free.addAndGet(count);
      tellWhoWaitsForIdle();
      if (hasHint() && takesOn()) {
        onWantedPermits.run();
      }
    }
  }

  void busyWith(RunningStep step) {
    busy.put(step.claimedStep().key(), step);
  }

  void done(StepKey key) {
    busy.remove(key);
    tellWhoWaitsForIdle();
  }

  private void tellWhoWaitsForIdle() {
    if (draining) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /**
   * Waits until nothing is busy and no hand is kept for a call whose answer may still bring steps: one that has just handed
   * back the last result may have claimed its successors. False when that took too long.
   */
  synchronized boolean awaitIdle(Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (!busy.isEmpty() || free.get() < live.capacity() + expanded.get() - lost.get()) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  Collection<RunningStep> busy() {
    return busy.values();
  }

  /** What this server is doing for one step, by any attempt; null when nothing. */
  RunningStep find(UUID stepUuid) {
    return busy.values().stream().filter(step -> step.claimedStep().key().stepUuid().equals(stepUuid)).findFirst().orElse(null);
  }

  /** As many permits in all, from now on. With fewer than are busy none is free until enough of them have ended. */
  synchronized void changeCapacity(int permits) {
    int more = permits - live.capacity();
    live.changeCapacity(permits);
    free.addAndGet(more);
    if (more > 0 && hasHint() && takesOn()) {
      onWantedPermits.run();
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
      tellWhoWaitsForIdle();
    }
  }

  /** One fewer: a step is given up, and its thread goes on. With none free, the next that ends is not free again. */
  void lose() {
    lost.incrementAndGet();
    free.decrementAndGet();
    tellWhoWaitsForIdle();
  }

  /** The thread has returned. */
  void regain() {
    lost.decrementAndGet();
    release(1);
  }

  /** Steps that may run at a time with the threads that are left. */
  int capacityLeft() {
    return Math.max(0, live.capacity() - lost.get());
  }

  int lostCount() {
    return lost.get();
  }

  int freeCount() {
    return Math.max(0, free.get());
  }

  int busyCount() {
    return busy.size();
  }

  /** A queue may have steps for us. */
  void hint() {
    queuesMayHaveSteps.set(true);
  }

  /** True once per hint: the caller is going to look. */
  boolean takeHint() {
    return queuesMayHaveSteps.get() && queuesMayHaveSteps.compareAndSet(true, false);
  }

  boolean hasHint() {
    return queuesMayHaveSteps.get();
  }

  void drain() {
    draining = true;
  }

  /** Claims again after {@link #drain}. */
  void stopDraining() {
    draining = false;
  }

  /** Somebody has paused the worker: what runs goes on, nothing is taken on. */
  void pause(boolean whether) {
    paused = whether;
  }

  /** Whether steps are claimed at all. */
  boolean takesOn() {
    return !draining && !paused;
  }

  boolean isDraining() {
    return draining;
  }

  /**
   * Permits came back although a queue may have steps: whoever wanted to claim them may have found every hand kept by somebody
   * who then had no use for it, and gone.
   */
  void onWantedPermits(Runnable action) {
    onWantedPermits = action;
  }

  void onMoreResults(Runnable action) {
    onMoreResults = action;
  }

  /** Results are waiting although no handler just finished. */
  void moreResults() {
    onMoreResults.run();
  }
}
