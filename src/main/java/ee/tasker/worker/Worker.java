package ee.tasker.worker;

import ee.tasker.dispatch.ClaimProtocol;
import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.Prefetch;
import ee.tasker.dispatch.QueueClaims;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.dispatch.StepReceiver;
import ee.tasker.platform.LiveSettings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The worker of this server: runs claimed steps on the threads of the handlers and submits their results. A thread that has flushed
 * goes on with one of the steps that this has brought; all other claimed steps come from {@code dispatch} by {@link #start}.
 */
@ApplicationScoped
public class Worker implements StepReceiver {
  /** A thread that has been running handlers for longer submits before it begins another. */
  private static final long QUICK_NANOS = 1_000_000;

  @Inject
  private HandlerThreads handlerThreads;

  @Inject
  private OverrunHandlers overruns;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps running;

  @Inject
  private ClaimProtocol claims;

  @Inject
  private QueueClaims queueClaims;

  @Inject
  private ResultBatcher resultBatcher;

  @Inject
  private StepRunner runner;

  @Inject
  private HandlerRegistry handlers;

  @Inject
  private MissingHandlers missing;

  @Inject
  private LiveSettings live;

  @Inject
  private Prefetch prefetch;

  /** Admitted and not begun. */
  private final ConcurrentLinkedQueue<RunningStep> ready = new ConcurrentLinkedQueue<>();
  /** Threads that were asked for and have not begun, at most one. */
  private final AtomicInteger helpersComing = new AtomicInteger();
  /** Threads that run handlers: as many as there are permits, however many steps are held. */
  private final AtomicInteger working = new AtomicInteger();

  /** Steps whose handler this server has not are given back, or failed when no server has it. */
  @Override
  public List<RunningStep> admit(List<RunningStep> claimed) {
    List<RunningStep> lacking = claimed.stream().filter(step -> !handlers.has(step.claimedStep().definition())).toList();
    if (lacking.isEmpty()) {
      return claimed;
    }
    List<RunningStep> admitted = new ArrayList<>(claimed);
    admitted.removeAll(lacking);
    admitted.addAll(missing.giveBack(lacking));
    return admitted;
  }

  @Override
  public void start(List<RunningStep> admitted) {
    ready.addAll(admitted);
    callHelper();
    prefetch.watch();
  }

  /** How many more steps this server could take on now. */
  public int availableCapacity() {
    return permits.freeCount();
  }

  /** Steps that are claimed and not submitted yet. */
  public int runningSteps() {
    return running.count();
  }

  /** Claims nothing more; what runs goes on. */
  public void pause() {
    permits.pause(true);
  }

  /** Claims again. */
  public void resume() {
    permits.pause(false);
    queueClaims.stepsQueued();
  }

  /** As many steps at a time from now on. */
  public void changeCapacity(int steps) {
    handlerThreads.resize(steps);
    permits.changeCapacity(steps);
    if (!ready.isEmpty()) {
      callHelper();
    }
  }

  /** Threads of handlers that have not returned although their step was given up a while ago; this server claims that many steps fewer. */
  public int stuckThreads() {
    return overruns.stuck();
  }

  /** What this server holds leases for. */
  public List<HeldStep> heldSteps() {
    return running.all().stream().map(HeldStep::of).sorted(Comparator.comparing(HeldStep::held).reversed()).toList();
  }

  /** Whether this server is on its way out and takes nothing on. */
  public boolean isDraining() {
    return permits.isDraining();
  }

  /** A thread that is called and finds more steps ready calls the next, so that slow handlers soon have a thread each and quick ones need few. */
  private void callHelper() {
    if (working.get() >= live.capacity()) {
      // Every thread runs a handler, and none of them can be waited for.
      resultBatcher.flushSoon();
    } else if (helpersComing.compareAndSet(0, 1)) {
      try {
        handlerThreads.execute(this::help);
      } catch (RejectedExecutionException e) {
        // The server is going down; what has not started is given back by WorkerLifecycle.
        helpersComing.set(0);
        permits.drain();
      } catch (OutOfMemoryError noThread) {
        // There is none at all yet. What is ready waits for the next that comes.
        helpersComing.set(0);
      }
    }
  }

  private void help() {
    helpersComing.set(0);
    work();
  }

  /**
   * Runs a step and, while they are quick, others that are ready; submits what has gathered, and goes on with one of the
   * steps that this brings. Before it calls a handler, which may take long, it calls another thread for the steps that are ready and the
   * results that wait.
   */
  private void work() {
    if (working.incrementAndGet() > live.capacity()) {
      working.decrementAndGet();
      resultBatcher.flushAll();
      return;
    }
    try {
      workOn(ready.poll());
    } finally {
      working.decrementAndGet();
    }
    // The thread that brought a step just now may have found all others busy.
    if (!ready.isEmpty()) {
      callHelper();
    }
  }

  private void workOn(RunningStep first) {
    RunningStep step = first;
    do {
      for (long began = System.nanoTime(); step != null;) {
        if (!ready.isEmpty() || !resultBatcher.isEmpty()) {
          callHelper();
        }
        runner.run(step);
        step = System.nanoTime() - began < QUICK_NANOS ? ready.poll() : null;
      }
      step = submitAndTakeOne();
      if (step == null) {
        step = ready.poll();
      }
    } while (step != null);
  }

  private RunningStep submitAndTakeOne() {
    while (!resultBatcher.isEmpty()) {
      List<RunningStep> claimed = resultBatcher.flush();
      if (claimed == null) {
        return null;
      }
      if (!claimed.isEmpty() && resultBatcher.isEmpty()) {
        claims.start(claimed.subList(1, claimed.size()));
        return claimed.get(0);
      }
      claims.start(claimed);
    }
    return null;
  }
}
