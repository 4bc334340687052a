package ee.tasker.template.model;

/** What a failed batch means for the other batches. */
public enum FailureStrategy {
  CONTINUE_ON_FAILURE, FAIL_FAST, ISOLATE
}
