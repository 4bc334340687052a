package ee.tasker.worker;

import ee.tasker.platform.Settings;
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

/** Counts this server's free hands and knows what the busy ones do. Thread-safe. */
@ApplicationScoped
class Hands {
  @Inject
  private Settings settings;

  private final AtomicInteger free = new AtomicInteger();
  private final Map<StepKey, RunningStep> busy = new ConcurrentHashMap<>();
  private final AtomicBoolean queuesMayHaveSteps = new AtomicBoolean(true);
  private volatile boolean draining;
  private volatile Runnable onMoreResults = () -> { };
  private volatile Runnable onWantedHands = () -> { };

  @PostConstruct
  void prepare() {
    free.set(settings.worker().capacity());
  }

  /** Keeps up to {@code most} free hands for the caller. */
  int reserve(int most) {
    if (draining) {
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

  void release(int count) {
    if (count > 0) {
      free.addAndGet(count);
      if (hasHint() && !draining) {
        onWantedHands.run();
      }
    }
  }

  void busyWith(RunningStep step) {
    busy.put(step.assignment().key(), step);
  }

  void done(StepKey key) {
    busy.remove(key);
    if (draining) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Waits until nothing is busy; false when that took too long. */
  synchronized boolean awaitIdle(Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (!busy.isEmpty()) {
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
    return busy.values().stream().filter(step -> step.assignment().key().stepUuid().equals(stepUuid)).findFirst().orElse(null);
  }

  int freeCount() {
    return free.get();
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

  boolean isDraining() {
    return draining;
  }

  /**
   * Hands came back although a queue may have steps: whoever wanted to claim them may have found every hand kept by somebody
   * who then had no use for it, and gone.
   */
  void onWantedHands(Runnable action) {
    onWantedHands = action;
  }

  void onMoreResults(Runnable action) {
    onMoreResults = action;
  }

  /** Results are waiting although no handler just finished. */
  void moreResults() {
    onMoreResults.run();
  }
}
