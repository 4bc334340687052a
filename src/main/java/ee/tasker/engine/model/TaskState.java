package ee.tasker.engine.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The states of a task: the values of the database type {@code tasker.task_state}. */
public enum TaskState {
  PENDING, INITIALIZING, ENQUEUING_STEPS, STEPS_IN_PROCESS, EVALUATING_RESULTS,
  WAITING_FOR_DEPENDENCIES, WAITING_FOR_RETRY, BLOCKED_BY_FAILURES, COMPLETE, ERROR, CANCELLED,
  RESOLVED_MANUALLY;

  private static final Map<String, TaskState> BY_WORD = Arrays.stream(values())
      .collect(Collectors.toUnmodifiableMap(TaskState::word, Function.identity()));

  private static final Set<String> TERMINAL_WORDS = Arrays.stream(values())
      .filter(TaskState::isTerminal).map(TaskState::word)
      .collect(Collectors.toUnmodifiableSet());

  private final String word = name().toLowerCase(Locale.ROOT);

  /** @throws IllegalArgumentException for an unknown state */
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

  /** The terminal states, as SQL and REST spell them. */
  public static Set<String> terminalWords() {
    return TERMINAL_WORDS;
  }

  /** As SQL and REST spell it. */
  public String word() {
    return word;
  }

  /** The task has ended: only an operator can restart or close it. */
  public boolean isTerminal() {
    return switch (this) {
      case COMPLETE, ERROR, CANCELLED, RESOLVED_MANUALLY -> true;
      default -> false;
    };
  }

  /** Terminal or blocked: the engine does not move the task any more without an operator. */
  public boolean isTerminalOrBlocked() {
    return isTerminal() || this == BLOCKED_BY_FAILURES;
  }

  /** The task has ended successfully, by itself or by an operator. */
  public boolean isSuccess() {
    return this == COMPLETE || this == RESOLVED_MANUALLY;
  }

  /** Steps of the task have failed permanently, and no operator has resolved that. */
  public boolean isFailure() {
    return this == ERROR || this == BLOCKED_BY_FAILURES;
  }

  @Override
  public String toString() {
    return word;
  }
}
