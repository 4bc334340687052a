package ee.tasker.dispatch;

import ee.tasker.step.ClaimedStep;
import ee.tasker.tracing.TraceSpan;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One claimed step on this server, from the claim to the result submission. The first thread to
 * change its phase wins:
 * exactly one thread starts it, and exactly one releases, finishes or interrupts it.
 */
public final class RunningStep {
  private enum Phase { CLAIMED, STARTED, OVER }

  /** The steps that were claimed last come first. */
  static final Comparator<RunningStep> YOUNGEST_FIRST = (a, b) -> Long
      .compare(b.claimedAtNanos - a.claimedAtNanos, 0);

  private final ClaimedStep claimedStep;
  private final long claimedAtNanos = System.nanoTime();
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.CLAIMED);
  private volatile boolean cancelRequested;
  private volatile boolean lost;
  private final AtomicBoolean forcePlanned = new AtomicBoolean();
  private volatile TraceSpan span = TraceSpan.NONE;
  private Thread thread;

  RunningStep(ClaimedStep claimedStep) {
    this.claimedStep = claimedStep;
    this.cancelRequested = claimedStep.isCancelRequested();
  }

  public ClaimedStep claimedStep() {
    return claimedStep;
  }

  public long ageNanos() {
    return System.nanoTime() - claimedAtNanos;
  }

  /** Records that the calling thread runs the step; false when it was released meanwhile. */
  public synchronized boolean start(TraceSpan attempt) {
    span = attempt;
    thread = Thread.currentThread();
    return phase.compareAndSet(Phase.CLAIMED, Phase.STARTED);
  }

  /**
   * Ends the step after its handler; true for the first call, unless another thread has ended it.
   */
  public synchronized boolean finish() {
    thread = null;
    return phase.getAndSet(Phase.OVER) == Phase.STARTED;
  }

  /**
   * Ends the step and interrupts the thread of its handler; true when it was still running.
   *
   * @param beforeInterrupt runs before the thread can return from the step
   */
  public synchronized boolean interrupt(Runnable beforeInterrupt) {
    Thread running = thread;
    if (phase.compareAndSet(Phase.STARTED, Phase.OVER)) {
      thread = null;
      beforeInterrupt.run();
      running.interrupt();
      return true;
    }
    return false;
  }

  /** Releases the step before it has started; true for the first call. */
  public boolean release() {
    return phase.compareAndSet(Phase.CLAIMED, Phase.OVER);
  }

  /** Claimed and not started. */
  boolean isWaiting() {
    return phase.get() == Phase.CLAIMED;
  }

  public boolean isOver() {
    return phase.get() == Phase.OVER;
  }

  /** The span of this attempt, ended with the attempt. */
  public TraceSpan span() {
    return span;
  }

  /** The id of the attempt's trace, for log lines; null when there is none. */
  public String traceId() {
    String traced = span.traceId();
    return traced == null ? claimedStep.traceId() : traced;
  }

  public void requestCancel() {
    cancelRequested = true;
  }

  /** True for the first caller, which schedules the end of the grace period. */
  public boolean planForce() {
    return forcePlanned.compareAndSet(false, true);
  }

  public boolean isCancelRequested() {
    return cancelRequested;
  }

  public void markLost() {
    lost = true;
  }

  public boolean isLost() {
    return lost;
  }
}
