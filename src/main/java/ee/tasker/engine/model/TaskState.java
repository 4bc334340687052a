package ee.tasker.engine.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The states of a task, as the type {@code tasker.task_state} of the database has them. */
public enum TaskState {
  PENDING, INITIALIZING, ENQUEUING_STEPS, STEPS_IN_PROCESS, EVALUATING_RESULTS, WAITING_FOR_DEPENDENCIES, WAITING_FOR_RETRY,
  BLOCKED_BY_FAILURES, COMPLETE, ERROR, CANCELLED, RESOLVED_MANUALLY;

  private static final Map<String, TaskState> BY_WORD = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(TaskState::word, Function.identity()));

  private static final Set<String> TERMINAL_WORDS = Arrays.stream(values()).filter(TaskState::isTerminal).map(TaskState::word)
      .collect(Collectors.toUnmodifiableSet());

  private final String word = name().toLowerCase(Locale.ROOT);

  /** @throws IllegalArgumentException when no state is called that */
  public static TaskState of(String word) {
    TaskState state = BY_WORD.get(word);
    if (state == null) {
      throw new IllegalArgumentException("no state of a task: " + word);
    }
    return state;
  }

  /** All states, as SQL and REST spell them. */
  public static Set<String> words() {
    return BY_WORD.keySet();
  }

  /** Those that a task ends in, as SQL and REST spell them. */
  public static Set<String> terminalWords() {
    return TERMINAL_WORDS;
  }

  /** As SQL and REST spell it. */
  public String word() {
    return word;
  }

  /** The task has ended: only an operator makes anything more of it. */
  public boolean isTerminal() {
    return switch (this) {
      case COMPLETE, ERROR, CANCELLED, RESOLVED_MANUALLY -> true;
      default -> false;
    };
  }

  /** Terminal or blocked: nothing more happens to the task by itself. */
  public boolean isAtRest() {
    return isTerminal() || this == BLOCKED_BY_FAILURES;
  }

  /** The task has ended as it was wanted. */
  public boolean isSuccess() {
    return this == COMPLETE || this == RESOLVED_MANUALLY;
  }

  /** Steps of the task have failed for good, and an operator has not resolved that. */
  public boolean isFailure() {
    return this == ERROR || this == BLOCKED_BY_FAILURES;
  }

  @Override
  public String toString() {
    return word;
  }
}
