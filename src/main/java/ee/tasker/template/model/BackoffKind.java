package ee.tasker.template.model;

/** How the wait before the next attempt grows. {@code NONE} means no wait at all. */
public enum BackoffKind {
  EXPONENTIAL, LINEAR, FIBONACCI, NONE
}
