package ee.tasker.template.model;

/** After which outcome of a step an event is published. */
public enum EventCondition {
  SUCCESS, FAILURE, RETRYABLE_FAILURE, PERMANENT_FAILURE, ALWAYS
}
