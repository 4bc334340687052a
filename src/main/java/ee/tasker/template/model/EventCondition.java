package ee.tasker.template.model;

/** The outcome of a step after which an event is published. */
public enum EventCondition {
  SUCCESS, FAILURE, RETRYABLE_FAILURE, PERMANENT_FAILURE, ALWAYS
}
