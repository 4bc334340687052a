package ee.tasker.template.model;

/** What becomes of a deferred convergence none of whose parents was created. */
public enum OnNone {
  /** It is not created either. */
  SKIP,
  /** It runs. */
  RUN
}
