package ee.tasker.dispatch;

import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets this server claim more steps than it has permits while its handlers take less than half a millisecond on average, so that one
 * call submits and claims some hundreds: what a step costs the database falls by a third from 30 to 100 of them. When handlers
 * get slow it ends, and steps that have not begun a second after their claim go to a worker that has a permit available.
 */
@ApplicationScoped
public class Prefetch {
  private static final Log LOG = Log.of(Prefetch.class);
  private static final long QUICK_NANOS = 500_000;
  private static final long SLOW_NANOS = 1_000_000;
  /** One slow handler among many quick ones counts for no more than this. */
  private static final long MOST_NANOS = 10_000_000;
  /** The average forgets half in about 44 steps. */
  private static final int WEIGHT = 64;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  @Inject
  private UnstartedSteps unstarted;

  @Inject
  private OrphanedClaims orphanedClaims;

  @Inject
  private WorkNotifier workNotifier;

  private final AtomicBoolean watching = new AtomicBoolean();
  /** Updates that race lose one of the two, which an average survives. */
  private volatile long averageNanos = MOST_NANOS;
  private volatile int lent;

  /** A handler has ended. */
  public void ran(Duration time) {
    long nanos = Math.min(MOST_NANOS, time.toNanos());
    long average = averageNanos + (nanos - averageNanos) / WEIGHT;
    averageNanos = average;
    if (average < QUICK_NANOS) {
      lend(settings.worker().prefetch() * permits.capacityLeft());
    } else if (average > SLOW_NANOS) {
      lend(0);
    }
  }

  private void lend(int steps) {
    if (steps != lent) {
      synchronized (this) {
        int more = steps - lent;
        lent = steps;
        permits.expand(more);
      }
    }
  }

  /** Steps were claimed: while there are more than permits, a timer checks whether they begin. */
  public void watch() {
    if (running.count() > permits.capacityLeft() && watching.compareAndSet(false, true)) {
      try {
        threads.timers().schedule(this::look, LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        // The server is going down and gives everything back.
        watching.set(false);
      }
    }
  }

  private void look() {
    giveBackSurplus();
    watching.set(false);
    watch();
  }

  private void giveBackSurplus() {
    int surplus = Math.max(0, running.count() - permits.capacityLeft());
    try {
      int given = unstarted.giveBack(running.all().stream()
          .filter(step -> step.isWaiting() && step.ageNanos() > LONGEST_WAIT.toNanos())
          .sorted(RunningStep.YOUNGEST_FIRST)
          .limit(surplus));
      if (given > 0) {
        averageNanos = MOST_NANOS;
        lend(0);
        LOG.write(LogEvent.SURPLUS_RELEASED, "steps", given);
        workNotifier.stepsQueued();
      }
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "release_steps");
      orphanedClaims.expect();
    }
  }
}
