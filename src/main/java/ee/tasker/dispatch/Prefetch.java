package ee.tasker.dispatch;

import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets this server claim more steps than its capacity while its handlers take less than half a
 * millisecond on average, so
 * that one call submits and claims some hundreds of steps: the database cost per step falls by a
 * third from 30 to 100 steps
 * per call. Prefetching ends when handlers get slow; steps that have not started a second after
 * their claim are released
 * for other workers.
 */
@ApplicationScoped
public class Prefetch {
  private static final Log LOG = Log.of(Prefetch.class);
  private static final long QUICK_NANOS = 500_000;
  private static final long SLOW_NANOS = 1_000_000;
  /** Caps the weight of one slow handler among many quick ones. */
  private static final long MOST_NANOS = 10_000_000;
  /** The half-life of the average is about 44 steps. */
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
  /** Of two concurrent updates one may be lost, which does not matter for an average. */
  private volatile long averageNanos = MOST_NANOS;
  private volatile int expandedBy;

  /** A handler has ended. */
  public void ran(Duration time) {
    long nanos = Math.min(MOST_NANOS, time.toNanos());
    long average = averageNanos + (nanos - averageNanos) / WEIGHT;
    averageNanos = average;
    if (average < QUICK_NANOS) {
      expandBy(settings.worker().prefetch() * permits.capacityLeft());
    } else if (average > SLOW_NANOS) {
      expandBy(0);
    }
  }

  private void expandBy(int steps) {
    if (steps != expandedBy) {
      synchronized (this) {
        int more = steps - expandedBy;
        expandedBy = steps;
        permits.expand(more);
      }
    }
  }

  /** Steps were claimed: while they exceed the capacity, a timer checks whether they start. */
  public void watch() {
    if (running.count() > permits.capacityLeft() && watching.compareAndSet(false, true)) {
      try {
        threads.timers().schedule(this::check, LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        // The server is stopping and releases all steps.
        watching.set(false);
      }
    }
  }

  private void check() {
    releaseSurplus();
    watching.set(false);
    watch();
  }

  private void releaseSurplus() {
    int surplus = Math.max(0, running.count() - permits.capacityLeft());
    try {
      int released = unstarted.release(running.all().stream()
          .filter(step -> step.isWaiting() && step.ageNanos() > LONGEST_WAIT.toNanos())
          .sorted(RunningStep.YOUNGEST_FIRST)
          .limit(surplus));
      if (released > 0) {
        averageNanos = MOST_NANOS;
        expandBy(0);
        LOG.write(LogEvent.SURPLUS_RELEASED, "steps", released);
        workNotifier.stepsQueued();
      }
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "release_steps");
      orphanedClaims.expect();
    }
  }
}
