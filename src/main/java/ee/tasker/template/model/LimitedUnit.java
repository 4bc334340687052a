package ee.tasker.template.model;

/**
 * What a concurrency policy counts: tasks from their first handoff until they are terminal or
 * blocked, or steps while
 * offered or running.
 */
public enum LimitedUnit {
  TASKS, STEPS
}
