package ee.tasker.worker;

import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.engine.reply.CancelOrder;
import ee.tasker.message.CancelListener;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.step.StepResult;
import ee.tasker.step.Steps;
import ee.tasker.step.model.StepKey;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Brings cancel requests to the handlers that run on this server. It queries the database at once
 * when a notification
 * reports a cancel, and with each heartbeat in case the notification was lost. A handler that has
 * not stopped by the end of
 * its grace period is interrupted; its step ends as {@code cancelled} with {@code forced}, and the
 * outcome that the handler
 * still returns is dropped. If this server does not force the step, recovery does so in the
 * database at the same time.
 */
@ApplicationScoped
class CancelWatch implements CancelListener {
  private static final Log LOG = Log.of(CancelWatch.class);

  @Inject
  private EngineThreads threads;

  @Inject
  private Steps steps;

  @Inject
  private RunningSteps running;

  @Inject
  private ResultBatcher resultBatcher;

  @Inject
  private OverrunHandlers overruns;

  private final AtomicBoolean wanted = new AtomicBoolean();
  private final AtomicBoolean querying = new AtomicBoolean();

  /**
   * Returns at once. One query at a time: requests that arrive while one is under way share the
   * next.
   */
  @Override
  public void cancelRequested() {
    wanted.set(true);
    if (running.count() > 0 && querying.compareAndSet(false, true)) {
      try {
        threads.execute(this::query);
      } catch (RejectedExecutionException e) {
        querying.set(false);
      }
    }
  }

  private void query() {
    wanted.set(false);
    try {
      applyRequests();
    } finally {
      querying.set(false);
    }
    if (wanted.get()) {
      cancelRequested();
    }
  }

  private void applyRequests() {
    List<StepKey> handled = running.all().stream().filter(step -> !step.isOver())
        .map(step -> step.claimedStep().key()).toList();
    if (handled.isEmpty()) {
      return;
    }
    try {
      for (CancelOrder order : steps.cancelRequests(handled)) {
        RunningStep step = running.find(order.stepUuid());
        if (step != null && step.claimedStep().key().handoff() == order.handoff()) {
          step.requestCancel();
          forceIn(step, order.forceIn());
        }
      }
    } catch (Exception fault) {
      // The next heartbeat reports the request again.
      LOG.write(LogEvent.CALL_FAILED, fault, "call", "get_cancel_requests");
    }
  }

  private void forceIn(RunningStep step, Duration grace) {
    if (step.planForce()) {
      try {
        threads.timers().schedule(() -> force(step), grace.toMillis(), TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        LOG.write(LogEvent.CALL_FAILED, e, "call", "cancel grace");
      }
    }
  }

  private void force(RunningStep step) {
    if (step.interrupt(() -> overruns.began(step))) {
      StepKey key = step.claimedStep().key();
      LOG.write(LogEvent.CANCEL_FORCED, "task", key.taskUuid(), "step", key.stepUuid(), "name",
          step.claimedStep().name(),
          "attempt", step.claimedStep().attempt(), "namespace",
          step.claimedStep().definition().namespace(), "correlation",
          step.claimedStep().correlationId(),
          "trace", step.traceId());
      StepResult result = Outcomes.cancelForced(step.claimedStep(),
          Duration.ofNanos(step.ageNanos()));
      StepSpans.end(step.span(), result);
      resultBatcher.submit(result);
    }
  }
}
