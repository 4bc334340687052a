package ee.tasker.test;

import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.StepResult;
import ee.tasker.worker.Outcomes;
import java.time.Duration;
import java.util.Optional;

/** One attempt of a step, as a server's worker makes it. */
final class Attempt {
  private final Tasker tasker;
  private final ClaimedStep step;
  private final StepHandler handler;
  private final Fault fault;

  /**
   * @param handler null when the test has given none, which matters only if it is called
   * @param fault   null for an attempt that is left to the handler
   */
  Attempt(Tasker tasker, ClaimedStep step, StepHandler handler, Fault fault) {
    this.tasker = tasker;
    this.step = step;
    this.handler = handler;
    this.fault = fault;
  }

  /** Empty if the worker dies. */
  Optional<StepResult> run() {
    if (fault instanceof Fault.Crash crash) {
      String before = crash.handlerRuns() ? "the handler answers " + call().outcome().word() + ", "
          : "";
      tell(before + "the server dies");
      return Optional.empty();
    }
    StepResult result;
    if (fault instanceof Fault.Returned returned) {
      result = Outcomes.toResult(step, returned.outcome(), Duration.ZERO);
    } else if (fault instanceof Fault.TimedOut) {
      Duration limit = step.definition().timeout().orElseThrow(() -> new IllegalStateException(
          "step " + step.name() + " cannot time out: its template has no timeout_seconds for it"));
      tasker.take(limit);
      result = Outcomes.timedOut(step, limit, limit);
    } else {
      result = call();
    }
    tell(result.outcome().word() + " "
        + (result.outcome().endsWell() ? result.result() : result.error())
        + result.decision().map(names -> ", chooses " + names).orElse(""));
    return Optional.of(result);
  }

  private StepResult call() {
    if (handler == null) {
      throw new IllegalStateException("step " + step.name() + " of " + step.definition().taskName()
          + " needs the handler "
          + step.definition().handler()
          + step.definition().resolver().map(name -> " of the resolver " + name).orElse("")
          + ", which this test has not given: with(\"" + step.definition().callable() + "\", …)");
    }
    if (step.isCancelRequested()) {
      return Outcomes.cancelledBeforeStart(step);
    }
    AttemptContext context = new AttemptContext(tasker, step);
    try {
      StepOutcome outcome = handler.handle(context);
      return Outcomes.toResult(step, outcome == null ? StepOutcome.success() : outcome,
          Duration.ZERO);
    } catch (AssertionError e) {
      // Of the test itself: a server would store it as a failure, and the test would not see it.
      throw e;
    } catch (Exception e) {
      return Outcomes.toResult(step, Outcomes.ofException(e, context.isCancelRequested()),
          Duration.ZERO);
    } catch (Error e) {
      return Outcomes.panicked(step, e, Duration.ZERO);
    }
  }

  private void tell(String what) {
    tasker.story(step.key().taskUuid()).add(tasker.clockTime(), step.name(),
        "attempt " + step.attempt() + " of " + step.maxAttempts() + ": " + what);
  }
}
