package ee.tasker.dispatch;

import ee.tasker.message.QueueListener;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Claims from the queues while they may have steps and permits are available: on a notification, on
 * a poll, and when permits are released.
 */
@ApplicationScoped
public class QueueClaims implements QueueListener, PermitListener {
  private static final Log LOG = Log.of(QueueClaims.class);

  private Executor threads;
  private StepSource source;
  private Permits permits;
  private QueueHint hint;
  private ClaimProtocol claims;

  private final AtomicBoolean claiming = new AtomicBoolean();

  @Inject
  void connect(EngineThreads threads, StepSource source, Permits permits,
      QueueHint hint, ClaimProtocol claims) {
    connect((Executor) threads, source, permits, hint, claims);
  }

  void connect(Executor threads, StepSource source, Permits permits,
      QueueHint hint, ClaimProtocol claims) {
    this.threads = threads;
    this.source = source;
    this.permits = permits;
    this.hint = hint;
    this.claims = claims;
  }

  @Override
  public void stepsQueued() {
    hint.set();
    claimSoon();
  }

  /** The claim loop may have exited while other callers held all permits. */
  @Override
  public void permitsReleased() {
    if (hint.isSet() && permits.takesOn()) {
      claimSoon();
    }
  }

  private void claimSoon() {
    if (source.isOpen() && permits.takesOn() && claiming.compareAndSet(false, true)) {
      try {
        threads.execute(this::claimWhileHinted);
      } catch (RejectedExecutionException e) {
        claiming.set(false);
      }
    }
  }

  private void claimWhileHinted() {
    boolean failed = true;
    try {
      while (hint.isSet() && permits.takesOn()
          && claims.claimFromQueues(source.batchSize())) {
        // the loop's condition does it
      }
      failed = false;
    } catch (Exception fault) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "claim_steps");
    } finally {
      claiming.set(false);
      // A hint or a permit that arrived after the last check found this loop still running. After a
      // fault the poller retries.
      if (!failed && hint.isSet() && permits.freeCount() > 0) {
        claimSoon();
      }
    }
  }
}
