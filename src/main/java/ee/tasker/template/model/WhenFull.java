package ee.tasker.template.model;

/** What happens when a policy's slots are taken: wait in FIFO order, or fail at once. */
public enum WhenFull {
  QUEUE, FAIL_FAST
}
