package ee.tasker.template.model;

/** What a step is to the task's graph. */
public enum StepType {
  /** Runs once its parents are done. */
  STANDARD,
  /** Its outcome names the steps that shall exist. */
  DECISION,
  /** Joins those of its parents that came to exist. */
  DEFERRED_CONVERGENCE,
  /** Its outcome cuts the work into batches. */
  BATCHABLE,
  /** The model of one batch; made as often as there are batches. */
  BATCH_WORKER;

  /** Whether {@code batch_config} may stand here. */
  public boolean takesBatchConfig() {
    return this == BATCHABLE || this == BATCH_WORKER;
  }

  /** Whether a step of this type makes no sense without a parent. */
  public boolean needsDependencies() {
    return this == DECISION || this == DEFERRED_CONVERGENCE;
  }
}
