package ee.tasker.worker;

import ee.tasker.dispatch.Permits;
import ee.tasker.dispatch.Prefetch;
import ee.tasker.dispatch.RunningStep;
import ee.tasker.dispatch.RunningSteps;
import ee.tasker.document.Seals;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.platform.Problem;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.platform.sql.Meters;
import ee.tasker.platform.thread.EngineThreads;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import ee.tasker.step.StepSeals;
import ee.tasker.step.StepSpec;
import ee.tasker.step.Steps;
import ee.tasker.tracing.TraceSpan;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Calls the handler of one step, outside any transaction unless it is transactional, and turns its
 * outcome or exception into a result.
 */
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
  private Seals seals;

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
   * Runs on the calling thread and submits exactly one result: the handler's, or that of a
   * time-out. The time-out fires on
   * another thread, interrupts this one, and the outcome that the handler then returns is dropped.
   * Submits no result for a
   * transactional handler whose own transaction recorded it, or for which the database refused it.
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

  /**
   * @return the result that the caller has to submit; null when there is none, or another thread
   * has submitted it
   */
  private StepResult attempt(RunningStep running) {
    ClaimedStep step = running.claimedStep();
    long start = System.nanoTime();
    meters.stepStarts(running.ageNanos());
    LOG.write(LogEvent.STEP_CLAIMED, "task", step.key().taskUuid(), "step", step.key().stepUuid(),
        "name", step.name(),
        "attempt", step.attempt(), "namespace", step.definition().namespace(), "correlation",
        step.correlationId(), "trace", running.traceId());
    ScheduledFuture<?> timer = step.definition().timeout()
        .map(limit -> threads.timers().schedule(() -> timeOut(running, limit, start),
            limit.toMillis(), TimeUnit.MILLISECONDS))
        .orElse(null);
    HandlerTransaction transaction = transactions.none();
    StepResult result;
    try {
      Optional<StepHandler> handler = handlers.find(step.definition());
      if (handler.isPresent() && handler.get().isTransactional()) {
        transaction = transactions.begin(step.definition().timeout());
      }
      if (handler.isEmpty()) {
        withoutHandler(running, timer);
        return null;
      }
      result = call(handler.get(), running, start);
    } catch (Exception e) {
      result = threw(running, e, start);
    } catch (Error e) {
      result = panicked(running, e, start);
    }
    result = sealed(step, result);
    boolean isOurs = running.finish();
    if (timer != null) {
      timer.cancel(false);
    }
    if (timer != null || !isOurs) {
      // A time-out or forced cancel that fired just now must not interrupt the next work of this
      // thread.
      Thread.interrupted();
    }
    if (!isOurs) {
      transaction.drop();
      return null;
    }
    // From here on no other thread of this server ends the step; in the database its handoff
    // decides.
    StepResult left = transaction.end(result);
    if (left != null) {
      // What the database says about a transaction may quote what the handler wrote.
      left = sealed(step, left);
    }
    StepResult outcome = left == null ? result : left;
    record(running, outcome);
    return left;
  }

  /**
   * Declines the step: a resolver that finds no handler here may find one on another server, or
   * later.
   */
  private void withoutHandler(RunningStep running, ScheduledFuture<?> timer) {
    boolean isOurs = running.finish();
    if (timer != null) {
      timer.cancel(false);
      Thread.interrupted();
    }
    if (isOurs) {
      missing.decline(List.of(running));
      running.span().fail("given_back", "HandlerMissing", "this server has no such handler");
      runningSteps.remove(running.claimedStep().key());
      permits.release(1);
    }
  }

  private void record(RunningStep running, StepResult outcome) {
    log(running, outcome);
    meters.stepExecuted(outcome.outcome().word(), outcome.executionTime());
    prefetch.ran(outcome.executionTime());
    StepSpans.end(running.span(), outcome);
  }

  private void timeOut(RunningStep running, Duration limit, long start) {
    if (running.interrupt(() -> overruns.began(running))) {
      ClaimedStep step = running.claimedStep();
      LOG.write(LogEvent.STEP_TIMED_OUT, "task", step.key().taskUuid(), "step",
          step.key().stepUuid(), "name", step.name(),
          "attempt", step.attempt(), "namespace", step.definition().namespace(), "correlation",
          step.correlationId(), "trace",
          running.traceId(), "limit_s", limit.toSeconds());
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
    ClaimedStep opened;
    try {
      opened = new StepSeals(seals).open(step);
    } catch (Problem notOpened) {
      return Outcomes.notOpened(step, notOpened, since(start));
    }
    try {
      StepOutcome outcome = handler
          .handle(new DefaultStepContext(running, opened, steps, new StepSeals(seals)));
      return Outcomes.toResult(step, outcome == null ? StepOutcome.success() : outcome,
          since(start));
    } catch (Exception e) {
      return threw(running, e, start);
    } catch (Error e) {
      return panicked(running, e, start);
    }
  }

  /** What may not be stored in clear is not stored at all: the handler runs again later. */
  private StepResult sealed(ClaimedStep step, StepResult result) {
    try {
      return new StepSeals(seals).seal(step.definition(), result);
    } catch (Problem notSealed) {
      return Outcomes.notSealed(result, notSealed);
    }
  }

  private static StepResult threw(RunningStep running, Exception e, long start) {
    trace(running, e);
    return Outcomes.toResult(running.claimedStep(),
        Outcomes.ofException(e, running.isCancelRequested()), since(start));
  }

  private static StepResult panicked(RunningStep running, Error e, long start) {
    trace(running, e);
    return Outcomes.panicked(running.claimedStep(), e, since(start));
  }

  /** Its message can be read in traces, unless it is sealed. */
  private static void trace(RunningStep running, Throwable fault) {
    if (running.claimedStep().definition().sealing() != StepSpec.Sealing.MEMBERS_AND_ERRORS) {
      running.span().threw(fault);
    }
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static void log(RunningStep running, StepResult result) {
    ClaimedStep step = running.claimedStep();
    boolean success = result.outcome().commits();
    LogEvent event = success ? LogEvent.STEP_FINISHED : LogEvent.STEP_FAILED;
    if (LOG.isOn(event)) {
      LOG.write(event, "task", step.key().taskUuid(), "step", step.key().stepUuid(), "name",
          step.name(),
          "attempt", step.attempt(), "namespace", step.definition().namespace(), "correlation",
          step.correlationId(), "trace",
          running.traceId(), "outcome", result.outcome(),
          "error", success ? null : result.error());
    }
  }
}
