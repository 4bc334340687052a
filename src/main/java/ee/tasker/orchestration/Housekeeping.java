package ee.tasker.orchestration;

import ee.tasker.engine.reply.PurgeReply;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
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
import jakarta.inject.Inject;
import java.time.Duration;

/**
 * Deletes what retention no longer keeps: one batch of tasks per timeout, the next after a short
 * pause while there are
 * more, and otherwise after {@code tasker.housekeeping.interval-seconds}. Every orchestrator runs
 * it; the database gives
 * each of them different tasks, or none.
 */
@Singleton
@Startup
@DependsOn("TaskerSchema")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Housekeeping {
  private static final Log LOG = Log.of(Housekeeping.class);
  /** Between two batches. */
  private static final Duration LEAST_REST = Duration.ofMillis(20);

  @Resource
  private TimerService timers;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private Orchestration orchestration;

  private volatile long lastHistory = System.nanoTime();
  private volatile int purged;

  @PostConstruct
  void start() {
    if (settings.has(Role.ORCHESTRATOR) && !settings.housekeepingInterval().isZero()) {
      comeBackIn(settings.housekeepingInterval());
    }
  }

  @Timeout
  void round() {
    boolean hasMore = false;
    long began = System.nanoTime();
    try {
      if (!live.has(Role.ORCHESTRATOR)) {
        return;
      }
      if (began - lastHistory >= settings.housekeepingInterval().toNanos()) {
        lastHistory = began;
        tidyHistory();
      }
      hasMore = live.has(Role.ORCHESTRATOR) && purge();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "housekeeping");
    } finally {
      comeBackIn(hasMore ? rest(Duration.ofNanos(System.nanoTime() - began))
          : settings.housekeepingInterval());
    }
  }

  /**
   * At least as long as the work took, so that on a slow database housekeeping uses at most half of
   * the time.
   */
  private Duration rest(Duration worked) {
    return LEAST_REST.compareTo(worked) > 0 ? LEAST_REST : worked;
  }

  private boolean purge() {
    PurgeReply batch = orchestration.purgeExpiredTasks();
    purged += batch.purged();
    if (!batch.hasMore() && purged > 0) {
      LOG.write(LogEvent.TASKS_PURGED, "tasks", purged);
      purged = 0;
    }
    return batch.hasMore();
  }

  private void tidyHistory() {
    orchestration.purgeExpiredRows();
    orchestration.dropHistoryMonth()
        .ifPresent(dropped -> LOG.write(LogEvent.HISTORY_DROPPED, "month", dropped.month(),
            "outcome", dropped.outcome()));
    orchestration.forgetPurgedTasks();
  }

  private void comeBackIn(Duration pause) {
    timers.createSingleActionTimer(pause.toMillis(), new TimerConfig("tasker-housekeeping", false));
  }
}
