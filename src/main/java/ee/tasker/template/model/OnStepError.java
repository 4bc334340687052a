package ee.tasker.template.model;

/** What becomes of the other steps of a task once one step is in {@code error}. */
public enum OnStepError {
  /** Nothing more is enqueued. */
  STOP,
  /** Whatever does not depend on the failed step goes on. */
  CONTINUE
}
