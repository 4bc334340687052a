package ee.tasker.dispatch;

import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Releases steps that a call claimed but whose reply was lost: the connection can break between the
 * commit and the reply. A
 * sixth of a lease later it releases the steps that the database counts as claimed by this server
 * and this server does not
 * know, so that they need not wait for their leases to expire. One check covers all calls that
 * failed meanwhile.
 */
@ApplicationScoped
public class OrphanedClaims {
  private static final Log LOG = Log.of(OrphanedClaims.class);

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private Steps steps;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  @Inject
  private WorkNotifier workNotifier;

  private final AtomicBoolean planned = new AtomicBoolean();
  private volatile long latestNanos;

  public void expect() {
    latestNanos = System.nanoTime();
    if (planned.compareAndSet(false, true)) {
      plan();
    }
  }

  private void plan() {
    try {
      threads.timers().schedule(this::check, delay().toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is stopping: its leases expire by themselves.
      planned.set(false);
    }
  }

  private void check() {
    Duration age = Duration.ofNanos(System.nanoTime() - latestNanos);
    if (permits.isDraining()) {
      planned.set(false);
    } else if (age.compareTo(delay().dividedBy(2)) < 0) {
      // Calls still fail, and replies to others may still arrive.
      plan();
    } else {
      planned.set(false);
      release(age);
    }
  }

  /** Longer than a reply takes, and much shorter than the lease. */
  private Duration delay() {
    return settings.worker().lease().dividedBy(6);
  }

  private void release(Duration age) {
    List<StepKey> known = running.keys();
    try {
      int released = steps.releaseUnknown(known, age);
      if (released > 0) {
        LOG.write(LogEvent.CLAIMS_RELEASED, "steps", released);
        workNotifier.stepsQueued();
      }
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "release_unknown_steps");
      expect();
    }
  }
}
