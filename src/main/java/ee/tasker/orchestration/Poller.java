package ee.tasker.orchestration;

import ee.tasker.message.StepTaker;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Role;
import ee.tasker.platform.Settings;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;

/** The safety net: every {@code tasker.poll.interval-seconds} everything that could have been missed is looked for. */
@Singleton
@Startup
@DependsOn({"SchemaMigration", "TemplateLoader"})
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Poller {
  private static final Log LOG = Log.of(Poller.class);
  private static final Duration CHORES_EVERY = Duration.ofHours(1);

  @Resource
  private TimerService timers;

  @Inject
  private Settings settings;

  @Inject
  private Rounds rounds;

  @Inject
  private Orchestration orchestration;

  @Inject
  private Instance<StepTaker> worker;

  private volatile long lastChores = System.nanoTime();
  private volatile Instant lastPoll = Instant.now();

  @PostConstruct
  void start() {
    long period = settings.pollInterval().toMillis();
    if (period > 0) {
      timers.createIntervalTimer(Math.min(period, 1_000), period, new TimerConfig("tasker-poller", false));
    }
  }

  @Timeout
  void poll() {
    if (settings.has(Role.ORCHESTRATOR)) {
      rounds.poll();
      doChores();
    }
    if (settings.has(Role.WORKER)) {
      worker.get().stepsQueued();
    }
    lastPoll = Instant.now();
  }

  /** What an hour is soon enough for. A fault is told of and tried again an hour later. */
  private void doChores() {
    long now = System.nanoTime();
    if (now - lastChores < CHORES_EVERY.toNanos()) {
      return;
    }
    lastChores = now;
    try {
      orchestration.makeHistoryPartitions();
    } catch (RuntimeException fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "make_history_partitions");
    }
  }

  /** When it last came round to the end or, while a long run is under way, when that last got on. */
  public Instant lastSign() {
    Instant progress = rounds.lastProgress();
    return rounds.isRunning() || progress.isAfter(lastPoll) ? progress : lastPoll;
  }

  /** When it last came round to the end. */
  public Instant lastPoll() {
    return lastPoll;
  }
}
