package ee.tasker.template.model;

/** Of which steps the effect is undone. */
public enum CompensateWhen {
  /** Of those that are complete. */
  COMPLETE,
  /** Also of those that ran and are not complete: they may have had their effect. */
  ATTEMPTED
}
