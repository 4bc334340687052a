package ee.tasker.orchestration;

import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.thread.StartSequence;
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
 * Rolls up what has moved for the analytics: every 30 seconds, and more often the more there is to
 * count. Every orchestrator that polls does; while one counts, the
 * others skip it.
 */
@Singleton
@Startup
@DependsOn("TaskerSchema")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class RollUp {
  @Resource
  private TimerService timers;

  @Inject
  private LiveSettings live;

  @Inject
  private Orchestration orchestration;

  @Inject
  private StartSequence start;

  /** Rounds follow one another. */
  private final RollUpPace pace = new RollUpPace();

  @PostConstruct
  void start() {
    comeBack();
  }

  @Timeout
  void round() {
    long began = System.nanoTime();
    try {
      if (live.has(Role.ORCHESTRATOR) && !live.pollInterval().isZero() && !start.isWaiting()) {
        // Each by itself: without summaries a roll-up only reads more.
        Poller.attempt("summarize_history", orchestration::summarizeHistory);
        Poller.attempt("roll_up_analytics", orchestration::rollUpAnalytics);
        pace.took(Duration.ofNanos(System.nanoTime() - began));
      }
    } finally {
      comeBack();
    }
  }

  private void comeBack() {
    timers.createSingleActionTimer(pace.interval().toMillis(),
        new TimerConfig("tasker-roll-up", false));
  }
}
