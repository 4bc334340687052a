package ee.tasker.worker;

import ee.tasker.step.StepResult;

/** The transaction that one call of a handler runs in, or the absence of one. Used by one thread. */
interface HandlerTransaction {
  /**
   * Ends the transaction together with the result.
   *
   * @return the result that still has to be submitted; null when it was recorded, or refused, in the transaction
   */
  StepResult end(StepResult result);

  /** Rolls back: the result is no longer wanted. @return null */
  StepResult drop();
}
