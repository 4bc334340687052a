package ee.tasker.template.model;

/** What happens to a task that would be blocked because a step has failed. */
public enum OnFailure {
  /** It is blocked until an operator acts. */
  BLOCK,
  /** What it has done is compensated, and it ends as {@code error} after that. */
  COMPENSATE
}
