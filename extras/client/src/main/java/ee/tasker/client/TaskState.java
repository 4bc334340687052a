package ee.tasker.client;

import java.util.Locale;

/** The state of a task. */
public enum TaskState {
  PENDING, INITIALIZING, ENQUEUING_STEPS, STEPS_IN_PROCESS, EVALUATING_RESULTS,
  WAITING_FOR_DEPENDENCIES, WAITING_FOR_RETRY, BLOCKED_BY_FAILURES, COMPLETE, ERROR, CANCELLED,
  RESOLVED_MANUALLY,
  /** A state that this version of the client does not know. */
  UNKNOWN;

  static TaskState of(String name) {
    for (TaskState state : values()) {
      if (state.toString().equals(name)) {
        return state;
      }
    }
    return UNKNOWN;
  }

  /** Whether nothing happens any more, unless an operator acts. */
  public boolean isTerminal() {
    return this == COMPLETE || this == ERROR || this == CANCELLED || this == RESOLVED_MANUALLY;
  }

  /** Whether the task has ended, or is blocked and waits for an operator. */
  public boolean isTerminalOrBlocked() {
    return isTerminal() || this == BLOCKED_BY_FAILURES;
  }

  /**
   * Whether the task has done what it was submitted for, by itself or with the help of an operator.
   */
  public boolean isSuccess() {
    return this == COMPLETE || this == RESOLVED_MANUALLY;
  }

  /** As the interface spells it: {@code blocked_by_failures}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
