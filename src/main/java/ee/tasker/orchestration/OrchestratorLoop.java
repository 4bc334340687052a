package ee.tasker.orchestration;

import ee.tasker.engine.reply.RoundReply;
import ee.tasker.message.Orchestrator;
import ee.tasker.message.StepDispatcher;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.schedule.Schedules;
import ee.tasker.task.QueuedRequests;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

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
  /** How often a poll looks for tasks that were set aside, which come again after as long. */
  private static final Duration ASIDE = Duration.ofSeconds(30);
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
  private StartSequence start;

  @Inject
  private Orchestration orchestration;

  @Inject
  private QueuedRequests requests;

  @Inject
  private Schedules schedules;

  @Inject
  private StepDispatcher stepDispatcher;

  private final AtomicBoolean wanted = new AtomicBoolean();
  /** A poll has come, and none has looked for what was set aside for a while. */
  private final AtomicBoolean looksAside = new AtomicBoolean();
  private volatile long lookedAside = System.nanoTime();
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile Instant lastProgress = Instant.now();
  private EarliestTimer earliestTimer;

  /**
   * @param setAside takes the one item that the database gave up out of the way, and says in words
   *   which it was; empty when nothing has changed, so that the next poll tries again
   */
  private record Duty(String name, BatchSize size, RoundOf round,
      Function<Exception, Optional<String>> setAside) {
  }

  @FunctionalInterface
  private interface RoundOf {
    RoundReply take(int most, int claimLimit);
  }

  private final Duty stepResults = duty("process_step_results",
      (most, limit) -> orchestration.processStepResults(most, limit),
      fault -> orchestration.setAsideStepResult(fault));
  private final Duty dueSchedules = duty("fire_due_schedules",
      (most, limit) -> schedules.fireDue(most, limit),
      fault -> schedules.failFirst(fault));
  private final Duty queuedRequests = duty("submit_queued_requests",
      (most, limit) -> requests.submit(most, limit),
      fault -> requests.refuseFirst(fault));
  private final Duty validatedTasks = duty("start_validated_tasks",
      (most, limit) -> requests.startValidatedTasks(most, limit),
      fault -> requests.leaveFirst());
  private final Duty dueTasks = duty("advance_due_tasks",
      (most, limit) -> orchestration.advanceDueTasks(most, limit),
      fault -> orchestration.setAsideDueTask(fault));
  /** Also those that were set aside: each alone. */
  private final Duty oneDueTask = new Duty("advance_due_tasks", new BatchSize(1),
      dueTasks.round(), dueTasks.setAside());
  private final Duty bulkActions = duty("advance_bulk_actions",
      (most, limit) -> orchestration.advanceBulkActions(), fault -> Optional.empty());

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
    looksAside.set(System.nanoTime() - lookedAside >= ASIDE.toNanos());
    wanted.set(true);
    runWhileWanted();
  }

  private static Duty duty(String name, RoundOf round,
      Function<Exception, Optional<String>> setAside) {
    return new Duty(name, new BatchSize(BATCH), round, setAside);
  }

  private void runWhileWanted() {
    while (isActive() && !start.isWaiting() && wanted.get()
        && running.compareAndSet(false, true)) {
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
    repeat(stepResults);
    // Before what looks after tasks that are left pending: a schedule may have submitted one of
    // them.
    repeat(dueSchedules).nextWakeIn().ifPresent(this::dueAgainIn);
    repeat(queuedRequests);
    repeat(validatedTasks);
    // A task that is due and was not returned is locked by another session.
    repeat(dueTasks).nextWakeIn()
        .ifPresent(this::dueAgainIn);
    // One part of it, and then the other duties again: it may go on for minutes.
    if (once(bulkActions).processed() > 0) {
      wanted.set(true);
    }
    if (isActive() && looksAside.getAndSet(false)) {
      lookedAside = System.nanoTime();
      once(oneDueTask);
    }
  }

  private boolean isActive() {
    return live.has(Role.ORCHESTRATOR);
  }

  private void dueAgainIn(Duration next) {
    dueIn(next.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : next);
  }

  private RoundReply repeat(Duty duty) {
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

  /**
   * A duty that fails does not hold up the others. After the role was paused none begins: the pass
   * that was under way then would start tasks that came later.
   */
  private RoundReply once(Duty duty) {
    if (!isActive()) {
      return RoundReply.NOTHING;
    }
    try {
      RoundReply reply = stepDispatcher.call(BATCH,
          limit -> duty.round().take(duty.size().get(), limit));
      lastProgress = Instant.now();
      duty.size().wentWell();
      return reply;
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", duty.name(), "items", duty.size().get());
      if (DatabaseFaults.isTooExpensive(fault)
          && (!duty.size().wasGivenUp() || isSetAside(duty, fault))) {
        // At once, with less, or without the one that it was.
        wanted.set(true);
      }
      return RoundReply.NOTHING;
    }
  }

  private static boolean isSetAside(Duty duty, Exception fault) {
    try {
      Optional<String> item = duty.setAside().apply(fault);
      item.ifPresent(its -> LOG.write(LogEvent.CALL_FAILED, "call", duty.name(), "set_aside", its));
      return item.isPresent();
    } catch (Exception another) {
      LOG.write(LogEvent.CALL_FAILED, another, "call", duty.name());
      return false;
    }
  }
}
