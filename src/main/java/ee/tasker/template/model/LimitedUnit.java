package ee.tasker.template.model;

/** What a concurrency policy counts: tasks from their first handoff to their rest, or steps while offered or running. */
public enum LimitedUnit {
  TASKS, STEPS
}
