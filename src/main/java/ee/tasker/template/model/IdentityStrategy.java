package ee.tasker.template.model;

/** What makes two tasks the same: template and context, a key that the caller gives, or nothing at all. */
public enum IdentityStrategy {
  STRICT, CALLER_PROVIDED, ALWAYS_UNIQUE
}
