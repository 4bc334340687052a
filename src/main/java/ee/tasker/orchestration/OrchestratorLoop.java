package ee.tasker.orchestration;

import ee.tasker.engine.reply.RoundReply;
import ee.tasker.message.Orchestrator;
import ee.tasker.message.StepDispatcher;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.LiveSettings;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import ee.tasker.schedule.Schedules;
import ee.tasker.task.QueuedRequests;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

/**
 * Runs the orchestrator's duties until each finds no more work: on a notification, when a retry is
 * due, and on each poll.
 * One run at a time per server; a notification during a run causes another.
 */
@ApplicationScoped
public class OrchestratorLoop implements Orchestrator {
  private static final Log LOG = Log.of(OrchestratorLoop.class);
  private static final int BATCH = 200;
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  /** A bound on one run, so that a duty that always finds work cannot starve the others. */
  private static final int MOST_ROUNDS = 10_000;
  /** Of one duty, before the others have their turn again. */
  private static final Duration LONGEST_DUTY = Duration.ofSeconds(10);

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Orchestration orchestration;

  @Inject
  private QueuedRequests requests;

  @Inject
  private Schedules schedules;

  @Inject
  private StepDispatcher stepDispatcher;

  private final AtomicBoolean wanted = new AtomicBoolean();
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile Instant lastProgress = Instant.now();
  private EarliestTimer earliestTimer;

  @PostConstruct
  void prepare() {
    earliestTimer = new EarliestTimer(threads.timers(), this::workArrived);
  }

  @PreDestroy
  void stop() {
    earliestTimer.stop();
  }

  @Override
  public void workArrived() {
    wanted.set(true);
    try {
      threads.execute(this::runWhileWanted);
    } catch (RejectedExecutionException e) {
      LOG.write(LogEvent.CALL_FAILED, "call", "rounds", "cause", e.getMessage());
    }
  }

  /** Keeps the earliest timer only; the run that it starts finds when the next one is due. */
  @Override
  public void dueIn(Duration delay) {
    if (settings.events()) {
      earliestTimer.in(delay);
    }
  }

  boolean isRunning() {
    return running.get();
  }

  /** When a run last started or completed a round. */
  Instant lastProgress() {
    return lastProgress;
  }

  /** Called by the poller on its own thread. */
  void poll() {
    wanted.set(true);
    runWhileWanted();
  }

  private void runWhileWanted() {
    while (live.has(Role.ORCHESTRATOR) && wanted.get() && running.compareAndSet(false, true)) {
      try {
        lastProgress = Instant.now();
        wanted.set(false);
        runAll();
      } catch (Exception fault) {
        LOG.write(LogEvent.CALL_FAILED, fault, "call", "orchestration");
      } finally {
        running.set(false);
      }
    }
  }

  private void runAll() {
    repeat(limit -> orchestration.processStepResults(BATCH, limit));
    // Before what looks after tasks that are left pending: a schedule may have submitted one of
    // them.
    repeat(limit -> schedules.fireDue(BATCH, limit)).nextWakeIn().ifPresent(this::dueAgainIn);
    repeat(limit -> requests.submit(BATCH, limit));
    repeat(limit -> requests.startValidatedTasks(BATCH, limit));
    // A task that is due and was not returned is locked by another session.
    repeat(limit -> orchestration.advanceDueTasks(BATCH, limit)).nextWakeIn()
        .ifPresent(this::dueAgainIn);
    // One part of it, and then the other duties again: it may go on for minutes.
    if (once(limit -> orchestration.advanceBulkActions()).processed() > 0) {
      wanted.set(true);
    }
  }

  private void dueAgainIn(Duration next) {
    dueIn(next.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : next);
  }

  private RoundReply repeat(IntFunction<RoundReply> duty) {
    RoundReply reply = RoundReply.NOTHING;
    long start = System.nanoTime();
    for (int round = 0; round < MOST_ROUNDS
        && System.nanoTime() - start < LONGEST_DUTY.toNanos(); round++) {
      reply = once(duty);
      if (reply.processed() == 0) {
        return reply;
      }
    }
    wanted.set(true);
    return reply;
  }

  private RoundReply once(IntFunction<RoundReply> duty) {
    try {
      RoundReply reply = stepDispatcher.call(BATCH, duty);
      lastProgress = Instant.now();
      return reply;
    } catch (Exception fault) {
      // A duty that fails does not hold up the others.
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "orchestration");
      return RoundReply.NOTHING;
    }
  }
}
