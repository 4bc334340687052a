package ee.tasker.engine.model;

/** Why the database did not accept a result. */
public enum ResultVerdict {
  /** That attempt has been submitted before. */
  ALREADY,
  /** That attempt is not the current one. */
  STALE,
  /** There is no such step. */
  UNKNOWN
}
