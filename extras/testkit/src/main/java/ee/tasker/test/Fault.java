package ee.tasker.test;

import ee.tasker.handler.StepOutcome;

/** What happens to one attempt of a step instead of, or after, its handler. */
sealed interface Fault {

  /** The handler is not called, and this is what it would have returned. */
  record Returned(StepOutcome outcome) implements Fault {}

  /** The handler is not called, and the time-out of its step fires. */
  record TimedOut() implements Fault {}

  /** The server dies. */
  record Crash(boolean handlerRuns) implements Fault {}
}
