package ee.tasker.template.model;

/** What becomes of who finds a policy's slots taken: wait in line, first come, first served; or fail at once. */
public enum WhenFull {
  QUEUE, FAIL_FAST
}
