package ee.tasker.template.model;

/** What follows when the worker of an attempt is lost, or nobody claims it: the next attempt, or the end of the step. */
public enum OnWorkerLost {
  RESCHEDULE, ABANDON
}
