package ee.tasker.template.model;

/** The role of a step in the task's graph. */
public enum StepType {
  /** Runs once its parents are done. */
  STANDARD,
  /** Its outcome names the steps to create. */
  DECISION,
  /** Joins those of its parents that were created. */
  DEFERRED_CONVERGENCE,
  /** Its outcome splits the work into batches. */
  BATCHABLE,
  /** The template of one batch; created once per batch. */
  BATCH_WORKER;

  /** Whether {@code batch_config} is allowed. */
  public boolean takesBatchConfig() {
    return this == BATCHABLE || this == BATCH_WORKER;
  }

  /** Whether a step of this type requires a parent. */
  public boolean needsDependencies() {
    return this == DECISION || this == DEFERRED_CONVERGENCE;
  }
}
