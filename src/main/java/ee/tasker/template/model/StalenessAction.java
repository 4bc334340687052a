package ee.tasker.template.model;

/** What happens to a task that has stayed too long in one state. */
public enum StalenessAction {
  DLQ, ERROR, NONE
}
