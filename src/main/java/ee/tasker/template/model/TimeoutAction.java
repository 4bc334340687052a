package ee.tasker.template.model;

/** How a task ends that has run for longer than {@code lifecycle.max_duration}. */
public enum TimeoutAction {
  FAIL, CANCEL
}
