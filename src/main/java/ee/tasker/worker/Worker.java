package ee.tasker.worker;

import ee.tasker.dispatch.ClaimProtocol;
import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.Prefetch;
import ee.tasker.dispatch.QueueClaims;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.dispatch.StepReceiver;
import ee.tasker.platform.config.LiveSettings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The worker of this server: runs claimed steps on handler threads and submits their results. A
 * thread that has flushed
 * results continues with one of the steps that the same call claimed; all other claimed steps
 * arrive from {@code dispatch}
 * through {@link #start}.
 */
@ApplicationScoped
public class Worker implements StepReceiver {
  /**
   * A thread that has run handlers for longer than this submits their results before it starts
   * another.
   */
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

  /** Admitted and not started. */
  private final ConcurrentLinkedQueue<RunningStep> ready = new ConcurrentLinkedQueue<>();
  /** Threads that were requested and have not started, at most one. */
  private final AtomicInteger helpersComing = new AtomicInteger();
  /** Threads that run handlers: at most the capacity, however many steps this server holds. */
  private final AtomicInteger working = new AtomicInteger();

  /** Declines steps whose handler this server lacks; they wait for a worker that has it. */
  @Override
  public List<RunningStep> admit(List<RunningStep> claimed) {
    List<RunningStep> lacking = claimed.stream()
        .filter(step -> !handlers.has(step.claimedStep().definition())).toList();
    if (lacking.isEmpty()) {
      return claimed;
    }
    List<RunningStep> admitted = new ArrayList<>(claimed);
    admitted.removeAll(lacking);
    missing.decline(lacking);
    return admitted;
  }

  @Override
  public void start(List<RunningStep> admitted) {
    ready.addAll(admitted);
    callHelper();
    prefetch.watch();
  }

  /** How many more steps this server can claim now. */
  public int availableCapacity() {
    return permits.freeCount();
  }

  /** How many steps this server has claimed and not submitted. */
  public int runningSteps() {
    return running.count();
  }

  /** Stops claiming; running handlers continue. */
  public void pause() {
    permits.pause(true);
  }

  /** Claims again. */
  public void resume() {
    permits.pause(false);
    queueClaims.stepsQueued();
  }

  /** Sets how many steps run at a time from now on. */
  public void changeCapacity(int steps) {
    handlerThreads.resize(steps);
    permits.changeCapacity(steps);
    if (!ready.isEmpty()) {
      callHelper();
    }
  }

  /**
   * Threads whose handler has not returned although its step ended more than five seconds ago; this
   * server claims that many fewer steps.
   */
  public int stuckThreads() {
    return overruns.stuck();
  }

  /** The steps that this server holds, the oldest first. */
  public List<HeldStep> heldSteps() {
    return running.all().stream().map(HeldStep::of)
        .sorted(Comparator.comparing(HeldStep::held).reversed()).toList();
  }

  /** Whether this server drains: it claims no more steps. */
  public boolean isDraining() {
    return permits.isDraining();
  }

  /**
   * Requests one more thread. A thread that starts and finds more steps ready requests the next, so
   * that slow handlers soon
   * have a thread each and quick ones need few.
   */
  private void callHelper() {
    if (working.get() >= live.capacity()) {
      // Every thread runs a handler, so the engine's threads flush the results.
      resultBatcher.flushSoon();
    } else if (helpersComing.compareAndSet(0, 1)) {
      try {
        handlerThreads.execute(this::help);
      } catch (RejectedExecutionException e) {
        // The server is stopping; WorkerLifecycle releases the steps that have not started.
        helpersComing.set(0);
        permits.drain();
      } catch (OutOfMemoryError noThread) {
        // The JVM could not create a thread. The ready steps wait for the next one.
        helpersComing.set(0);
      }
    }
  }

  private void help() {
    helpersComing.set(0);
    work();
  }

  /**
   * Runs a step and, while handlers are quick, others that are ready; submits the waiting results
   * and continues with one of
   * the steps that the call claimed. Before it calls a handler, which may take long, it requests
   * another thread for the
   * steps that are ready and the results that wait.
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
    // The thread that added a step just now may have found all others busy.
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
