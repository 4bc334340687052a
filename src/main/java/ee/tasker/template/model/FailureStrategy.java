package ee.tasker.template.model;

/** What failed workers mean for their batch. */
public enum FailureStrategy {
  /** Nothing: all batches are processed, and what follows sees which have failed. */
  CONTINUE_ON_FAILURE,
  /** The first failure fails the batch. */
  FAIL_FAST,
  /** The batch fails once more workers have failed than {@code tolerate}. */
  ISOLATE
}
