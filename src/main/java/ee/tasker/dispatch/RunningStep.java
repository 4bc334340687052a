package ee.tasker.dispatch;

import ee.tasker.step.ClaimedStep;
import ee.tasker.tracing.TraceSpan;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One claimed step in this server, from the claim to the result submission. The first to move it on wins: a step is started, timed out,
 * released or finished by one thread only.
 */
public final class RunningStep {
  private enum Phase { CLAIMED, STARTED, OVER }

  /** Of what waits, those that were claimed last. */
  static final Comparator<RunningStep> YOUNGEST_FIRST = (a, b) -> Long.compare(b.claimedAtNanos - a.claimedAtNanos, 0);

  private final ClaimedStep claimedStep;
  private final long claimedAtNanos = System.nanoTime();
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.CLAIMED);
  private volatile boolean cancelRequested;
  private volatile boolean lost;
  private volatile boolean unserved;
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

  /** The calling thread will run it; false when it was released meanwhile. */
  public synchronized boolean start(TraceSpan attempt) {
    span = attempt;
    thread = Thread.currentThread();
    return phase.compareAndSet(Phase.CLAIMED, Phase.STARTED);
  }

  /** The handler is done, or is given up on; true for the first to say so. */
  public synchronized boolean finish() {
    thread = null;
    return phase.getAndSet(Phase.OVER) == Phase.STARTED;
  }

  /**
   * Ends it for its handler's thread, which is interrupted; true when it was still running.
   *
   * @param beforeInterrupt runs before the thread can return from the step
   */
  public synchronized boolean giveUp(Runnable beforeInterrupt) {
    Thread running = thread;
    if (phase.compareAndSet(Phase.STARTED, Phase.OVER)) {
      thread = null;
      beforeInterrupt.run();
      running.interrupt();
      return true;
    }
    return false;
  }

  /** Takes it back before it started. */
  public boolean release() {
    return phase.compareAndSet(Phase.CLAIMED, Phase.OVER);
  }

  /** Claimed, and no thread has begun it. */
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

  /** The trace that the attempt is part of, as log lines have it; null when there is none. */
  public String traceId() {
    String traced = span.traceId();
    return traced == null ? claimedStep.traceId() : traced;
  }

  public void requestCancel() {
    cancelRequested = true;
  }

  /** True for the first to ask: the end of its grace period is being waited for from here on. */
  public boolean planForce() {
    return forcePlanned.compareAndSet(false, true);
  }

  public boolean isCancelRequested() {
    return cancelRequested;
  }

  public void markLost() {
    lost = true;
  }

  public void markUnserved() {
    unserved = true;
  }

  /** No server has its handler: it is to fail here. */
  public boolean isUnserved() {
    return unserved;
  }

  public boolean isLost() {
    return lost;
  }
}
