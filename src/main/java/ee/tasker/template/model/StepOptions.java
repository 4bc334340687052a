package ee.tasker.template.model;

import java.util.OptionalInt;

/**
 * The plain values of a step that an environment may override. Steps, environments and the normal
 * form all have them through this record: a key of this kind is a component here, and a line in
 * {@code StepOptionsForm}, which reads and writes it.
 *
 * @param timeoutSeconds how long one attempt may run; empty for no limit of its own
 */
public record StepOptions(OptionalInt timeoutSeconds) {
  public static final StepOptions NONE = new StepOptions(OptionalInt.empty());

  public StepOptions {
    Checks.range(timeoutSeconds, "timeout_seconds", 1, Limits.TIMEOUT_SECONDS);
  }

  /** These, and of {@code others} what these do not say. */
  StepOptions or(StepOptions others) {
    return new StepOptions(timeoutSeconds.isPresent() ? timeoutSeconds : others.timeoutSeconds);
  }
}
