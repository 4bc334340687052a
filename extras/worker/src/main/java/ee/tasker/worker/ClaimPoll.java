package ee.tasker.worker;

import ee.tasker.message.QueueListener;
import ee.tasker.platform.config.LiveSettings;
import ee.tasker.platform.config.Role;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.DatabaseUsability;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.StartSequence;
import jakarta.annotation.PostConstruct;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.DependsOn;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.util.concurrent.TimeUnit;

/**
 * What is left of the product's poller without an orchestrator: looks for steps whose notification
 * was lost, every {@code tasker.poll.interval-seconds} and at least once in a lease.
 */
@Singleton(name = "TaskerClaimPoll")
@Startup
@DependsOn({"TaskerSchema", "TaskerTemplates"})
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class ClaimPoll {
  private static final Log LOG = Log.of(ClaimPoll.class);

  @Inject
  private EngineThreads threads;

  @Inject
  private Settings settings;

  @Inject
  private LiveSettings live;

  @Inject
  private StartSequence start;

  @Inject
  private QueueListener queues;

  @Inject
  private DatabaseUsability usability;

  @Inject
  private StorageProbe storage;

  @PostConstruct
  void start() {
    long period = Math.min(settings.pollInterval().toMillis(),
        settings.worker().lease().toMillis());
    if (period > 0) {
      start.then(() -> threads.timers().scheduleAtFixedRate(this::poll, period, period,
          TimeUnit.MILLISECONDS));
    }
  }

  private void poll() {
    if (live.has(Role.WORKER)) {
      queues.stepsQueued();
    }
    if (usability.isWriteDue()) {
      try {
        storage.write();
        usability.written();
      } catch (Exception stillFull) {
        LOG.write(LogEvent.CALL_FAILED, stillFull, "call", "check_storage");
      }
    }
  }
}
