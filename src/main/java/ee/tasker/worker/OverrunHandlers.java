package ee.tasker.worker;

import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Handlers that have not returned although their step has ended: timed out, or cancelled by force.
 * Each occupies its
 * thread, and therefore its permit, until it returns: this server claims that many fewer steps. One
 * that does not return
 * soon after its interrupt is logged. Thread-safe.
 */
@ApplicationScoped
class OverrunHandlers {
  private static final Log LOG = Log.of(OverrunHandlers.class);
  /** A handler that responds to its interrupt has returned by then. */
  private static final Duration SOON = Duration.ofSeconds(5);

  @Inject
  private Permits permits;

  private final Map<RunningStep, Overrun> all = new ConcurrentHashMap<>();

  private record Overrun(long sinceNanos, AtomicBoolean isLogged) {
    long age() {
      return System.nanoTime() - sinceNanos;
    }

    boolean isStuck() {
      return age() > SOON.toNanos();
    }
  }

  /** The step has ended without its handler; called before the handler can return. */
  void began(RunningStep step) {
    all.put(step, new Overrun(System.nanoTime(), new AtomicBoolean()));
    permits.lose();
  }

  /** The thread has returned from this step, whether the handler overran or not. */
  void ended(RunningStep step) {
    Overrun overrun = all.remove(step);
    if (overrun != null) {
      permits.regain();
      if (overrun.isLogged().get()) {
        write(LogEvent.HANDLER_RETURNED, step, overrun);
      }
    }
  }

  /** How many handlers have not returned soon after their interrupt. */
  int stuck() {
    return (int) all.values().stream().filter(Overrun::isStuck).count();
  }

  /** Writes one log line for each stuck handler that was not logged before. */
  void logStuck() {
    all.forEach((step, overrun) -> {
      if (overrun.isStuck() && overrun.isLogged().compareAndSet(false, true)) {
        write(LogEvent.HANDLER_STUCK, step, overrun);
      }
    });
  }

  private static void write(LogEvent event, RunningStep step, Overrun overrun) {
    StepKey key = step.claimedStep().key();
    LOG.write(event, "task", key.taskUuid(), "step", key.stepUuid(), "name",
        step.claimedStep().name(), "attempt", step.claimedStep().attempt(),
        "namespace", step.claimedStep().definition().namespace(), "correlation",
        step.claimedStep().correlationId(), "trace", step.traceId(), "seconds",
        Duration.ofNanos(overrun.age()).toSeconds());
  }
}
