package ee.tasker.engine.model;

/** Why the database did not accept a result. */
public enum ResultVerdict {
  /** The result of that handoff has been submitted before. */
  ALREADY,
  /** A later handoff has replaced this one. */
  STALE,
  /** There is no such step. */
  UNKNOWN
}
