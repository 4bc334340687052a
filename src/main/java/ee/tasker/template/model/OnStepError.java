package ee.tasker.template.model;

/** What happens to the other steps of a task once one step is in {@code error}. */
public enum OnStepError {
  /** No further step is enqueued. */
  STOP,
  /** Steps that do not depend on the failed step continue. */
  CONTINUE
}
