package ee.tasker.webhook;

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

/**
 * Has {@link DeliveryCalls} look for deliveries: within half a second while events are sent, and
 * after a quiet time within {@value #LONGEST_PERIOD_MS} ms, or when the next
 * attempt is due, so that an idle server asks rarely; and soon after the role was resumed. On
 * servers with the role orchestrator only.
 */
@Singleton
@Startup
@DependsOn("TaskerSchema")
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class DeliveryTimer {
  private static final long SHORTEST_PERIOD_MS = 500;
  private static final long LONGEST_PERIOD_MS = 8_000;

  @Resource
  private TimerService timers;

  @Inject
  private DeliveryCalls calls;

  @Inject
  private StartSequence start;

  private long periodMs = SHORTEST_PERIOD_MS;

  @PostConstruct
  void prepare() {
    if (calls.isSending()) {
      comeBack(periodMs);
    }
  }

  private void comeBack(long afterMs) {
    timers.createSingleActionTimer(afterMs, new TimerConfig("tasker-webhooks", false));
  }

  /** One timeout at a time: the next is made when this one has ended. */
  @Timeout
  void look() {
    try {
      if (!start.isWaiting()) {
        calls.claim();
        periodMs = calls.running() > 0 || calls.isPaused() ? SHORTEST_PERIOD_MS
            : Math.min(2 * periodMs, LONGEST_PERIOD_MS);
      }
    } finally {
      comeBack(Math.max(SHORTEST_PERIOD_MS, Math.min(periodMs, calls.nextDueInMs())));
    }
  }
}
