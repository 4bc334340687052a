package ee.tasker.dispatch;

import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.message.QueueListener;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.platform.thread.StartSequence;
import ee.tasker.platform.thread.WebContext;
import ee.tasker.step.Steps;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * Claims from the queues while they may have steps and permits are available: on a notification, on
 * a poll, and when permits are released.
 */
@ApplicationScoped
public class QueueClaims implements QueueListener, PermitListener {
  private static final Log LOG = Log.of(QueueClaims.class);

  private Executor threads;
  private BooleanSupplier canRun;
  private IntSupplier batchSize;
  private IntFunction<ClaimReply> claim;
  private Permits permits;
  private QueueHint hint;
  private ClaimProtocol claims;

  private final AtomicBoolean claiming = new AtomicBoolean();

  @Inject
  void connect(EngineThreads threads, Settings settings, WebContext web, StartSequence start,
      Steps steps, Permits permits, QueueHint hint, ClaimProtocol claims, Meters meters) {
    connect(threads, () -> web.isStarted() && !start.isWaiting(),
        () -> settings.worker().batchSize(),
        limit -> claim(steps, meters, limit), permits, hint, claims);
  }

  void connect(Executor threads, BooleanSupplier canRun, IntSupplier batchSize,
      IntFunction<ClaimReply> claim, Permits permits, QueueHint hint, ClaimProtocol claims) {
    this.threads = threads;
    this.canRun = canRun;
    this.batchSize = batchSize;
    this.claim = claim;
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
    if (canRun.getAsBoolean() && permits.takesOn() && claiming.compareAndSet(false, true)) {
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
          && claims.claimFromQueues(batchSize.getAsInt(), claim)) {
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

  private static ClaimReply claim(Steps steps, Meters meters, int limit) {
    long start = System.nanoTime();
    ClaimReply reply = steps.claim(limit);
    meters.claimCalled(start);
    return reply;
  }
}
