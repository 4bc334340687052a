package ee.tasker.orchestration;

import ee.tasker.engine.reply.ReconcileReply;
import ee.tasker.message.PollListener;
import ee.tasker.message.QueueListener;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.request.KeyedRequests;
import ee.tasker.schedule.Schedules;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;

/**
 * The fallback poller: every {@code tasker.poll.interval-seconds} it searches the database for all
 * work whose notification
 * may have been lost.
 */
@Singleton
@Startup
@DependsOn({"TaskerSchema", "TaskerTemplates"})
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Poller {
  private static final Log LOG = Log.of(Poller.class);
  private static final Duration PARTITIONS_EVERY = Duration.ofHours(1);
  private static final Duration KEYS_EVERY = Duration.ofSeconds(30);
  private static final int PURGE_BATCH = 1_000;
  private static final int MOST_PURGES = 100;

  @Resource
  private TimerService timers;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private OrchestratorLoop orchestratorLoop;

  @Inject
  private Orchestration orchestration;

  @Inject
  private Schedules schedules;

  @Inject
  private KeyedRequests keyedRequests;

  @Inject
  private QueueListener queueListener;

  @Inject
  private PollListener pollListener;

  @Inject
  private StartSequence start;

  private volatile long lastPartitions = System.nanoTime();
  private volatile long lastKeys = System.nanoTime();
  private volatile Instant lastPoll = Instant.now();

  @PostConstruct
  void start() {
    // No notification arrives for tasks that another server abandoned: poll at least once per
    // lease.
    long period = Math.min(live.pollInterval().toMillis(), settings.worker().lease().toMillis());
    if (period > 0) {
      timers.createIntervalTimer(Math.min(period, 1_000), period,
          new TimerConfig("tasker-poller", false));
    }
    // Until the start sequence has ended, polls do nothing.
    start.then(() -> {
      if (settings.has(Role.ORCHESTRATOR)) {
        orchestratorLoop.workArrived();
      }
    });
  }

  /** Polls at this interval from now on; zero stops the poller. */
  public void changeInterval(Duration interval) {
    live.changePollInterval(interval);
    timers.getTimers().forEach(Timer::cancel);
    lastPoll = Instant.now();
    start();
  }

  @Timeout
  void poll() {
    if (!start.isWaiting()) {
      runDuties();
    }
    lastPoll = Instant.now();
  }

  private void runDuties() {
    orchestratorLoop.poll();
    orchestrate("close_settled_dlq_entries", orchestration::closeSettledDlqEntries);
    orchestrate("reconcile_tasks", this::reconcile);
    orchestrate("restore_fire_times", this::restoreFireTimes);
    orchestrate("analyze_grown_tables", orchestration::analyzeGrownTables);
    if (live.has(Role.ORCHESTRATOR)) {
      doChores();
    }
    if (live.has(Role.WORKER)) {
      queueListener.stepsQueued();
    }
    pollListener.offersQueued();
  }

  /** A duty of a role that may be paused between two of them. */
  private void orchestrate(String call, Runnable duty) {
    if (live.has(Role.ORCHESTRATOR)) {
      attempt(call, duty);
    }
  }

  /** Logs every restored row: the engine itself never loses one. */
  private void reconcile() {
    ReconcileReply reply = orchestration.reconcileTasks();
    if (reply.hasRestored()) {
      LOG.write(LogEvent.ROWS_RESTORED, "dead_letters", reply.deadLetters(), "wakeups",
          reply.wakeups());
    }
  }

  /** At once, because a schedule that has none would be silent until someone misses its tasks. */
  private void restoreFireTimes() {
    int restored = schedules.restoreFireTimes();
    if (restored > 0) {
      LOG.write(LogEvent.ROWS_RESTORED, "fire_times", restored);
      orchestratorLoop.workArrived();
    }
  }

  /**
   * Chores that are not due on every poll. A fault is logged, and the chore is retried when it is
   * next due.
   */
  private void doChores() {
    long now = System.nanoTime();
    if (now - lastKeys >= KEYS_EVERY.toNanos()) {
      lastKeys = now;
      attempt("purge_idempotency_keys", this::purgeIdempotencyKeys);
    }
    if (now - lastPartitions >= PARTITIONS_EVERY.toNanos()) {
      lastPartitions = now;
      attempt("make_history_partitions", orchestration::makeHistoryPartitions);
    }
  }

  /** In small transactions and of limited number: the next call deletes the rest. */
  private void purgeIdempotencyKeys() {
    for (int batch = 0; batch < MOST_PURGES
        && keyedRequests.purge(PURGE_BATCH) == PURGE_BATCH; batch++) {
      // the loop's condition does it
    }
  }

  /** Logs a fault: the chore is retried when it is next due. */
  static void attempt(String call, Runnable chore) {
    try {
      chore.run();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", call);
    }
  }

  /**
   * When the last poll ended or, while a long run is under way, when that run last made progress.
   */
  public Instant lastSign() {
    Instant progress = orchestratorLoop.lastProgress();
    return orchestratorLoop.isRunning() || progress.isAfter(lastPoll) ? progress : lastPoll;
  }

  /** When the last poll ended. */
  public Instant lastPoll() {
    return lastPoll;
  }
}
