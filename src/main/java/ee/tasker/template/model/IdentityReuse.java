package ee.tasker.template.model;

/**
 * When a task may reuse the identity of an earlier one: never, once the earlier one has failed
 * (ended as {@code error} or
 * {@code cancelled}), or once it has ended in any way. While the earlier one is unfinished, a
 * second request is a
 * duplicate.
 */
public enum IdentityReuse {
  NEVER, AFTER_FAILURE, AFTER_END
}
