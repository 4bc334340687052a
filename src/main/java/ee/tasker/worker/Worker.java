package ee.tasker.worker;

import ee.tasker.message.StepTaker;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Meters;
import ee.tasker.platform.Settings;
import ee.tasker.platform.WebContext;
import ee.tasker.step.Assignment;
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
 * The worker of this server. Assignments come from three sides: from whoever submits tasks here, as the successors of steps
 * that were just handed back, and from the queues when a wake-up or the poller says that there may be some.
 */
@ApplicationScoped
public class Worker implements StepTaker {
  private static final Log LOG = Log.of(Worker.class);
  /** A thread that has been running handlers for longer hands back before it begins another. */
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
  private Hands hands;

  @Inject
  private Handbacks handbacks;

  @Inject
  private StepRunner runner;

  @Inject
  private HandlerRegistry handlers;

  @Inject
  private MissingHandlers missing;

  @Inject
  private LostAnswers lostAnswers;

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
  /** A thread of the engine was asked to hand back and has not begun. */
  private final AtomicBoolean handingBack = new AtomicBoolean();
  /** Threads that run handlers: as many as there are hands, however many steps are held. */
  private final AtomicInteger working = new AtomicInteger();

  @PostConstruct
  void prepare() {
    hands.onWantedHands(this::claimSoon);
    hands.onMoreResults(this::handBackSoon);
  }

  /** None for a server that serves some namespaces only: what it is handed outside the queues could be of any. None before handlers can run. */
  @Override
  public int reserve(int most) {
    return settings.worker().namespaces().isEmpty() && web.isStarted() ? hands.reserve(most) : 0;
  }

  @Override
  public void take(JsonArray assignments, int reserved) {
    hands.release(reserved - assignments.size());
    begin(accept(assignments));
  }

  @Override
  public void cancelRequested() {
    cancels.lookSoon();
  }

  @Override
  public void answerLost() {
    lostAnswers.expect();
  }

  @Override
  public void stepsQueued() {
    hands.hint();
    claimSoon();
  }

  private void claimSoon() {
    if (web.isStarted() && hands.takesOn() && claiming.compareAndSet(false, true)) {
      try {
        threads.execute(this::claimQueued);
      } catch (RejectedExecutionException e) {
        claiming.set(false);
      }
    }
  }

  /** How many more steps this server could take on now. */
  public int freeHands() {
    return hands.freeCount();
  }

  /** Steps that are claimed and not handed back yet. */
  public int runningSteps() {
    return hands.busyCount();
  }

  /** Claims nothing more; what runs goes on. */
  public void pause() {
    hands.pause(true);
  }

  /** Claims again. */
  public void resume() {
    hands.pause(false);
    stepsQueued();
  }

  /** As many steps at a time from now on. */
  public void changeCapacity(int steps) {
    handlerThreads.resize(steps);
    hands.changeCapacity(steps);
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
    return hands.busy().stream().map(HeldStep::of).sorted(Comparator.comparing(HeldStep::held).reversed()).toList();
  }

  /** Whether this server is on its way out and takes nothing on. */
  public boolean isDraining() {
    return hands.isDraining();
  }

  /** Claims from the queues while they give and hands are free; while none is, the next handback claims. */
  private void claimQueued() {
    boolean failed = false;
    try {
      while (hands.hasHint() && hands.takesOn()) {
        int free = hands.reserve(settings.worker().batchSize());
        if (free == 0) {
          return;
        }
        hands.takeHint();
        JsonArray assignments;
        long start = System.nanoTime();
        try {
          assignments = steps.claim(free);
          meters.claimCalled(start);
        } catch (Exception fault) {
          hands.release(free);
          hands.hint();
          lostAnswers.expect();
          LOG.write(LogEvent.CALL_FAILED, fault, "call", "claim_steps");
          failed = true;
          return;
        }
        if (assignments.size() >= free) {
          hands.hint();
        }
        take(assignments, free);
      }
    } finally {
      claiming.set(false);
      // A hint, or a free hand, that came after the last look and found us still at it. After a fault the poller tries again.
      if (!failed && hands.hasHint() && hands.freeCount() > 0) {
        claimSoon();
      }
    }
  }

  private List<RunningStep> accept(JsonArray assignments) {
    if (assignments.isEmpty()) {
      return List.of();
    }
    try {
      if (!steps.knows(assignments)) {
        steps.learn(assignments);
      }
    } catch (Exception fault) {
      hands.release(assignments.size());
      lostAnswers.expect();
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_step_definitions", "steps", assignments.size());
      return List.of();
    }
    List<RunningStep> accepted = new ArrayList<>(assignments.size());
    List<RunningStep> lacking = new ArrayList<>();
    meters.stepsClaimed(assignments.size());
    for (Assignment assignment : steps.read(assignments)) {
      RunningStep step = new RunningStep(assignment);
      hands.busyWith(step);
      (handlers.has(assignment.definition()) ? accepted : lacking).add(step);
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
      handBackSoon();
    } else if (helpersComing.compareAndSet(0, 1)) {
      try {
        handlerThreads.execute(this::help);
      } catch (RejectedExecutionException e) {
        // The server is going down; what has not started is given back by WorkerLifecycle.
        helpersComing.set(0);
        hands.drain();
      } catch (OutOfMemoryError noThread) {
        // There is none at all yet. What is ready waits for the next that comes.
        helpersComing.set(0);
      }
    }
  }

  /** On a thread of the engine: handlers may have taken all of theirs. */
  private void handBackSoon() {
    if (!handbacks.isEmpty() && handingBack.compareAndSet(false, true)) {
      try {
        threads.execute(() -> {
          handingBack.set(false);
          handBackOnly();
        });
      } catch (RejectedExecutionException e) {
        // The server is going down; recovery takes over what it cannot hand back.
        handingBack.set(false);
      }
    }
  }

  private void help() {
    helpersComing.set(0);
    work();
  }

  /**
   * Runs a step and, while they are quick, others that are ready; hands back what has gathered, and goes on with one of the
   * steps that this brings. Before a handler is called, somebody is on the way for what else is ready and for results
   * that wait, because nobody knows how long the handler takes.
   */
  private void work() {
    if (working.incrementAndGet() > live.capacity()) {
      working.decrementAndGet();
      handBackOnly();
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

  private void handBackOnly() {
    while (!handbacks.isEmpty()) {
      JsonArray assignments = handbacks.flush();
      if (assignments == null) {
        return;
      }
      begin(accept(assignments));
    }
  }

  private void workOn(RunningStep first) {
    RunningStep step = first;
    do {
      for (long began = System.nanoTime(); step != null; ) {
        if (!ready.isEmpty() || !handbacks.isEmpty()) {
          callHelper();
        }
        runner.run(step, handbacks::add);
        step = System.nanoTime() - began < QUICK_NANOS ? ready.poll() : null;
      }
      step = handBackAndTakeOne();
      if (step == null) {
        step = ready.poll();
      }
    } while (step != null);
  }

  private RunningStep handBackAndTakeOne() {
    while (!handbacks.isEmpty()) {
      JsonArray assignments = handbacks.flush();
      if (assignments == null) {
        return null;
      }
      List<RunningStep> accepted = accept(assignments);
      if (!accepted.isEmpty() && handbacks.isEmpty()) {
        begin(accepted.subList(1, accepted.size()));
        return accepted.get(0);
      }
      begin(accepted);
    }
    return null;
  }
}
