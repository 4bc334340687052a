package ee.tasker.orchestration;

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
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.time.Duration;

/**
 * Cleans up what is no longer kept: one batch of tasks at each timeout, the next after a short pause for as long as there are
 * more, and then after {@code tasker.housekeeping.interval-seconds}. Every orchestrator does it; the database gives each
 * something else, or nothing.
 */
@Singleton
@Startup
@DependsOn("SchemaMigration")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Housekeeping {
  private static final Log LOG = Log.of(Housekeeping.class);

  @Resource
  private TimerService timers;

  @Inject
  private Settings settings;

  @Inject
  private Orchestration orchestration;

  private volatile long lastHistory = System.nanoTime();
  private volatile int purged;

  @PostConstruct
  void start() {
    if (settings.has(Role.ORCHESTRATOR) && !settings.housekeeping().interval().isZero()) {
      comeBackIn(settings.housekeeping().interval());
    }
  }

  @Timeout
  void round() {
    boolean hasMore = false;
    long began = System.nanoTime();
    try {
      if (began - lastHistory >= settings.housekeeping().interval().toNanos()) {
        lastHistory = began;
        tidyHistory();
      }
      hasMore = purge();
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "housekeeping");
    } finally {
      comeBackIn(hasMore ? rest(Duration.ofNanos(System.nanoTime() - began)) : settings.housekeeping().interval());
    }
  }

  /** At least as long as the work took: however slow the database is, others have half of the time to themselves. */
  private Duration rest(Duration worked) {
    Duration pause = settings.housekeeping().pause();
    return pause.compareTo(worked) > 0 ? pause : worked;
  }

  private boolean purge() {
    JsonObject batch = orchestration.purgeExpiredTasks();
    purged += batch.getInt("purged");
    boolean hasMore = batch.getBoolean("more");
    if (!hasMore && purged > 0) {
      LOG.write(LogEvent.TASKS_PURGED, "tasks", purged);
      purged = 0;
    }
    return hasMore;
  }

  private void tidyHistory() {
    orchestration.purgeExpiredRows();
    JsonObject dropped = orchestration.dropHistoryMonth();
    if (dropped != null) {
      LOG.write(LogEvent.HISTORY_DROPPED, "month", dropped.getString("month"), "outcome", dropped.getString("outcome"));
    }
    orchestration.forgetPurgedTasks();
  }

  private void comeBackIn(Duration pause) {
    timers.createSingleActionTimer(pause.toMillis(), new TimerConfig("tasker-housekeeping", false));
  }
}
