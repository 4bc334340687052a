package ee.tasker.orchestration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Calls when the earliest time that it was given has come, and not for later ones that it is given meanwhile. Thread-safe.
 *
 * <p>The timers are the server's and live on when the application is undeployed: what was left with them would be called in an
 * application that is gone.
 */
final class EarliestTimer {
  private record Planned(long atNanos, Future<?> call) {
  }

  private final ScheduledExecutorService timers;
  private final Runnable call;
  /** The earliest last; those before it were planned before it was known. */
  private final List<Planned> planned = new ArrayList<>();
  private boolean stopped;

  EarliestTimer(ScheduledExecutorService timers, Runnable call) {
    this.timers = timers;
    this.call = call;
  }

  synchronized void in(Duration delay) {
    planned.removeIf(each -> each.call().isDone());
    long at = System.nanoTime() + delay.toNanos();
    if (!stopped && planned.stream().allMatch(each -> each.atNanos() - at > 0)) {
      planned.add(new Planned(at, timers.schedule(call, Math.max(delay.toMillis(), 0), TimeUnit.MILLISECONDS)));
    }
  }

  /** Calls no more, whatever it is given. */
  synchronized void stop() {
    stopped = true;
    planned.forEach(each -> each.call().cancel(false));
  }
}
