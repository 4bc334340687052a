package ee.tasker.template.model;

/**
 * What follows when the worker of an attempt is lost, or no worker claims the step: the next
 * attempt, or the step fails.
 */
public enum OnWorkerLost {
  RESCHEDULE, ABANDON
}
