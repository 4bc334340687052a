package ee.tasker.worker;

import ee.tasker.step.StepResult;

/** The transaction in which one handler call runs, or none. Used by one thread. */
interface HandlerTransaction {
  /**
   * Ends the transaction together with the result.
   *
   * @return the result that the caller still has to submit; null when the transaction recorded it,
   *   or the database refused it
   */
  StepResult end(StepResult result);

  /** Rolls back, because another thread has ended the step. @return null */
  StepResult drop();
}
