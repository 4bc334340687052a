package ee.tasker.template.model;

/** Of what the engine publishes domain events itself. */
public enum PublishedLifecycle {
  /** Ends of the task, its being blocked, and the breach of its SLA. */
  TASKS,
  /** All that happens to its approvals. */
  APPROVALS,
  /** Dead letters that are opened for it. */
  DEAD_LETTERS
}
