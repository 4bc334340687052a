package ee.tasker.template.model;

/** What identifies a task: template and context, a key from the caller, or nothing at all. */
public enum IdentityStrategy {
  STRICT, CALLER_PROVIDED, ALWAYS_UNIQUE
}
