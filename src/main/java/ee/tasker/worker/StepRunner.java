package ee.tasker.worker;

import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.Prefetch;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.engine.model.Outcome;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.platform.EngineThreads;
import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Meters;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import ee.tasker.step.Steps;
import ee.tasker.tracing.TraceSpan;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Calls the handler of one step, outside any transaction unless it is transactional, and makes a result of whatever comes of it. */
@ApplicationScoped
class StepRunner {
  private static final Log LOG = Log.of(StepRunner.class);

  @Inject
  private EngineThreads threads;

  @Inject
  private HandlerRegistry handlers;

  @Inject
  private Steps steps;

  @Inject
  private Permits permits;

  @Inject
  private RunningSteps runningSteps;

  @Inject
  private ResultBatcher resultBatcher;

  @Inject
  private OverrunHandlers overruns;

  @Inject
  private StepTransactions transactions;

  @Inject
  private Meters meters;

  @Inject
  private Prefetch prefetch;

  @Inject
  private StepSpans spans;

  @Inject
  private MissingHandlers missing;

  /**
   * Runs on the calling thread, and submits exactly one result: the handler's, or that of a time-out, which comes on another
   * thread while this one is interrupted and what the handler then returns is dropped. It submits none of a transactional
   * handler whose result was recorded, or refused, in its own transaction.
   */
  void run(RunningStep running) {
    if (!running.start(spans.start(running.claimedStep()))) {
      return;
    }
    StepResult left;
    try (TraceSpan.Current current = running.span().makeCurrent()) {
      left = attempt(running);
    } finally {
      overruns.ended(running);
    }
    if (left != null) {
      resultBatcher.submit(left);
    }
  }

  /** @return what is left to be submitted; null when there is nothing, or somebody else has done it */
  private StepResult attempt(RunningStep running) {
    ClaimedStep step = running.claimedStep();
    long start = System.nanoTime();
    meters.stepStarts(running.ageNanos());
    LOG.write(LogEvent.STEP_CLAIMED, "task", step.key().taskUuid(), "step", step.key().stepUuid(), "name", step.definition().name(),
        "attempt", step.attempt(), "correlation", step.correlationId(), "trace", running.traceId());
    ScheduledFuture<?> timer = step.definition().timeout()
        .map(limit -> threads.timers().schedule(() -> timeOut(running, limit, start), limit.toMillis(), TimeUnit.MILLISECONDS))
        .orElse(null);
    HandlerTransaction transaction = transactions.none();
    StepResult result;
    try {
      Optional<StepHandler> handler = handlers.find(step.definition());
      if (handler.isPresent() && handler.get().isTransactional()) {
        transaction = transactions.begin(step.definition().timeout());
      }
      if (handler.isEmpty()) {
        return withoutHandler(running, timer, start);
      }
      result = call(handler.get(), running, start);
    } catch (Exception e) {
      result = threw(running, e, start);
    } catch (Error e) {
      result = panicked(running, e, start);
    }
    boolean isOurs = running.finish();
    if (timer != null) {
      timer.cancel(false);
    }
    if (timer != null || !isOurs) {
      // A time-out or a forced cancel that came just now must not interrupt whatever this thread does next.
      Thread.interrupted();
    }
    if (!isOurs) {
      transaction.drop();
      return null;
    }
    // From here on nobody else ends the step in this server; in the database its handoff decides.
    StepResult left = transaction.end(result);
    StepResult outcome = left == null ? result : left;
    record(running, outcome);
    return left;
  }

  /** Fails the step when no server has its handler; a resolver that finds nothing here may find it on another. */
  private StepResult withoutHandler(RunningStep running, ScheduledFuture<?> timer, long start) {
    boolean isOurs = running.finish();
    if (timer != null) {
      timer.cancel(false);
      Thread.interrupted();
    }
    if (!isOurs) {
      return null;
    }
    if (!running.isUnserved() && missing.giveBack(List.of(running)).isEmpty()) {
      running.span().fail("given_back", "HandlerElsewhere", "another server has the handler");
      runningSteps.remove(running.claimedStep().key());
      permits.release(1);
      return null;
    }
    StepResult result = Outcomes.handlerNotFound(running.claimedStep(), since(start));
    record(running, result);
    return result;
  }

  private void record(RunningStep running, StepResult outcome) {
    log(running, outcome);
    meters.stepExecuted(outcome.outcome().word(), outcome.executionTime());
    prefetch.ran(outcome.executionTime());
    StepSpans.end(running.span(), outcome);
  }

  private void timeOut(RunningStep running, Duration limit, long start) {
    if (running.giveUp(() -> overruns.began(running))) {
      ClaimedStep step = running.claimedStep();
      LOG.write(LogEvent.STEP_TIMED_OUT, "task", step.key().taskUuid(), "step", step.key().stepUuid(), "name", step.definition().name(),
          "attempt", step.attempt(), "correlation", step.correlationId(), "trace", running.traceId(), "limit_s", limit.toSeconds());
      StepResult result = Outcomes.timedOut(step, limit, since(start));
      meters.stepExecuted(result.outcome().word(), result.executionTime());
      prefetch.ran(result.executionTime());
      StepSpans.end(running.span(), result);
      resultBatcher.submit(result);
    }
  }

  private StepResult call(StepHandler handler, RunningStep running, long start) {
    ClaimedStep step = running.claimedStep();
    if (running.isCancelRequested()) {
      return Outcomes.cancelledBeforeStart(step);
    }
    try {
      StepOutcome outcome = handler.handle(new DefaultStepContext(running, steps));
      return Outcomes.toResult(step, outcome == null ? StepOutcome.success() : outcome, since(start));
    } catch (Exception e) {
      return threw(running, e, start);
    } catch (Error e) {
      return panicked(running, e, start);
    }
  }

  private static StepResult threw(RunningStep running, Exception e, long start) {
    running.span().threw(e);
    return Outcomes.toResult(running.claimedStep(), Outcomes.ofException(e, running.isCancelRequested()), since(start));
  }

  private static StepResult panicked(RunningStep running, Error e, long start) {
    running.span().threw(e);
    return Outcomes.panicked(running.claimedStep(), e, since(start));
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static void log(RunningStep running, StepResult result) {
    ClaimedStep step = running.claimedStep();
    boolean success = result.outcome() == Outcome.SUCCESS;
    LogEvent event = success ? LogEvent.STEP_FINISHED : LogEvent.STEP_FAILED;
    if (LOG.isOn(event)) {
      LOG.write(event, "task", step.key().taskUuid(), "step", step.key().stepUuid(), "name", step.definition().name(),
          "attempt", step.attempt(), "correlation", step.correlationId(), "trace", running.traceId(), "outcome", result.outcome(),
          "error", success ? null : result.error());
    }
  }
}
