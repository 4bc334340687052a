package ee.tasker.worker;

import ee.tasker.message.StepDispatcher;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Meters;
import ee.tasker.platform.Settings;
import ee.tasker.platform.WebContext;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.Steps;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The worker of this server. Claimed steps come from three sides: from whoever submits tasks here, as the successors of steps
 * that were just submitted, and from the queues when a wake-up or the poller says that there may be some.
 */
@ApplicationScoped
public class Worker implements StepDispatcher {
  private static final Log LOG = Log.of(Worker.class);
  /** A thread that has been running handlers for longer submits before it begins another. */
  private static final long QUICK_NANOS = 1_000_000;

  @Inject
  private EngineThreads threads;

  @Inject
  private HandlerThreads handlerThreads;

  @Inject
  private OverrunHandlers overruns;

  @Inject
  private Settings settings;

  @Inject
  private Steps steps;

  @Inject
  private Permits permits;

  @Inject
  private ResultBatcher resultBatcher;

  @Inject
  private StepRunner runner;

  @Inject
  private HandlerRegistry handlers;

  @Inject
  private MissingHandlers missing;

  @Inject
  private OrphanedClaims orphanedClaims;

  @Inject
  private CancelWatch cancels;

  @Inject
  private LiveSettings live;

  @Inject
  private Prefetch prefetch;

  @Inject
  private WebContext web;

  @Inject
  private Meters meters;

  private final AtomicBoolean claiming = new AtomicBoolean();
  /** Accepted and not begun. */
  private final ConcurrentLinkedQueue<RunningStep> ready = new ConcurrentLinkedQueue<>();
  /** Threads that were asked for and have not begun, at most one. */
  private final AtomicInteger helpersComing = new AtomicInteger();
  /** A thread of the engine was asked to submit and has not begun. */
  private final AtomicBoolean submitting = new AtomicBoolean();
  /** Threads that run handlers: as many as there are permits, however many steps are held. */
  private final AtomicInteger working = new AtomicInteger();

  @PostConstruct
  void prepare() {
    permits.onWantedPermits(this::claimSoon);
    permits.onMoreResults(this::submitSoon);
  }

  /** None for a server that serves some namespaces only: what it is handed outside the queues could be of any. None before handlers can run. */
  @Override
  public int reserve(int most) {
    return settings.worker().namespaces().isEmpty() && web.isStarted() ? permits.reserve(most) : 0;
  }

  @Override
  public void dispatch(JsonArray claimedSteps, int reserved) {
    permits.release(reserved - claimedSteps.size());
    begin(accept(claimedSteps));
  }

  @Override
  public void cancelRequested() {
    cancels.lookSoon();
  }

  @Override
  public void claimOutcomeUnknown() {
    orphanedClaims.expect();
  }

  @Override
  public void stepsQueued() {
    permits.hint();
    claimSoon();
  }

  private void claimSoon() {
    if (web.isStarted() && permits.takesOn() && claiming.compareAndSet(false, true)) {
      try {
        threads.execute(this::claimQueued);
      } catch (RejectedExecutionException e) {
        claiming.set(false);
      }
    }
  }

  /** How many more steps this server could take on now. */
  public int availableCapacity() {
    return permits.freeCount();
  }

  /** Steps that are claimed and not submitted yet. */
  public int runningSteps() {
    return permits.busyCount();
  }

  /** Claims nothing more; what runs goes on. */
  public void pause() {
    permits.pause(true);
  }

  /** Claims again. */
  public void resume() {
    permits.pause(false);
    stepsQueued();
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
    return permits.busy().stream().map(HeldStep::of).sorted(Comparator.comparing(HeldStep::held).reversed()).toList();
  }

  /** Whether this server is on its way out and takes nothing on. */
  public boolean isDraining() {
    return permits.isDraining();
  }

  /** Claims from the queues while they give and permits are available; while none is, the next result submission claims. */
  private void claimQueued() {
    boolean failed = false;
    try {
      while (permits.hasHint() && permits.takesOn()) {
        int free = permits.reserve(settings.worker().batchSize());
        if (free == 0) {
          return;
        }
        permits.takeHint();
        JsonArray claimedSteps;
        long start = System.nanoTime();
        try {
          claimedSteps = steps.claim(free);
          meters.claimCalled(start);
        } catch (Exception fault) {
          permits.release(free);
          permits.hint();
          orphanedClaims.expect();
          LOG.write(LogEvent.CALL_FAILED, fault, "call", "claim_steps");
          failed = true;
          return;
        }
        if (claimedSteps.size() >= free) {
          permits.hint();
        }
        dispatch(claimedSteps, free);
      }
    } finally {
      claiming.set(false);
      // A hint, or an available permit, that came after the last look and found us still at it. After a fault the poller tries again.
      if (!failed && permits.hasHint() && permits.freeCount() > 0) {
        claimSoon();
      }
    }
  }

  private List<RunningStep> accept(JsonArray claimedSteps) {
    if (claimedSteps.isEmpty()) {
      return List.of();
    }
    try {
      if (!steps.knows(claimedSteps)) {
        steps.learn(claimedSteps);
      }
    } catch (Exception fault) {
      permits.release(claimedSteps.size());
      orphanedClaims.expect();
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_step_definitions", "steps", claimedSteps.size());
      return List.of();
    }
    List<RunningStep> accepted = new ArrayList<>(claimedSteps.size());
    List<RunningStep> lacking = new ArrayList<>();
    meters.stepsClaimed(claimedSteps.size());
    for (ClaimedStep claimedStep : steps.read(claimedSteps)) {
      RunningStep step = new RunningStep(claimedStep);
      permits.busyWith(step);
      (handlers.has(claimedStep.definition()) ? accepted : lacking).add(step);
    }
    accepted.addAll(missing.giveBack(lacking));
    return accepted;
  }

  private void begin(List<RunningStep> accepted) {
    if (!accepted.isEmpty()) {
      ready.addAll(accepted);
      callHelper();
      prefetch.watch();
    }
  }

  /** Whoever is called and finds others still ready calls the next, so that slow handlers soon have a thread each and quick ones need few. */
  private void callHelper() {
    if (working.get() >= live.capacity()) {
      // Every thread runs a handler, and none of them can be waited for.
      submitSoon();
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

  /** On a thread of the engine: handlers may have taken all of theirs. */
  private void submitSoon() {
    if (!resultBatcher.isEmpty() && submitting.compareAndSet(false, true)) {
      try {
        threads.execute(() -> {
          submitting.set(false);
          submitOnly();
        });
      } catch (RejectedExecutionException e) {
        // The server is going down; recovery takes over what it cannot submit.
        submitting.set(false);
      }
    }
  }

  private void help() {
    helpersComing.set(0);
    work();
  }

  /**
   * Runs a step and, while they are quick, others that are ready; submits what has gathered, and goes on with one of the
   * steps that this brings. Before a handler is called, somebody is on the way for what else is ready and for results
   * that wait, because nobody knows how long the handler takes.
   */
  private void work() {
    if (working.incrementAndGet() > live.capacity()) {
      working.decrementAndGet();
      submitOnly();
      return;
    }
    try {
      workOn(ready.poll());
    } finally {
      working.decrementAndGet();
    }
    // Whoever brought a step just now may have found every hand busy.
    if (!ready.isEmpty()) {
      callHelper();
    }
  }

  private void submitOnly() {
    while (!resultBatcher.isEmpty()) {
      JsonArray claimedSteps = resultBatcher.flush();
      if (claimedSteps == null) {
        return;
      }
      begin(accept(claimedSteps));
    }
  }

  private void workOn(RunningStep first) {
    RunningStep step = first;
    do {
      for (long began = System.nanoTime(); step != null;) {
        if (!ready.isEmpty() || !resultBatcher.isEmpty()) {
          callHelper();
        }
        runner.run(step, resultBatcher::add);
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
      JsonArray claimedSteps = resultBatcher.flush();
      if (claimedSteps == null) {
        return null;
      }
      List<RunningStep> accepted = accept(claimedSteps);
      if (!accepted.isEmpty() && resultBatcher.isEmpty()) {
        begin(accepted.subList(1, accepted.size()));
        return accepted.get(0);
      }
      begin(accepted);
    }
    return null;
  }
}
