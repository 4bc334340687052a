package ee.tasker.orchestration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Calls back at the earliest of the times that it was given, and ignores later ones until then.
 * Thread-safe.
 *
 * <p>The timers belong to the server and outlive the application: {@link #stop} cancels the pending
 * calls, so that none
 * runs after an undeploy.
 */
final class EarliestTimer {
  private record Planned(long atNanos, Future<?> call) {
  }

  private final ScheduledExecutorService timers;
  private final Runnable call;
  /** The earliest last; the others were scheduled before it. */
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
      planned.add(new Planned(at,
          timers.schedule(call, Math.max(delay.toMillis(), 0), TimeUnit.MILLISECONDS)));
    }
  }

  /** Cancels all pending calls and schedules no more. */
  synchronized void stop() {
    stopped = true;
    planned.forEach(each -> each.call().cancel(false));
  }
}
