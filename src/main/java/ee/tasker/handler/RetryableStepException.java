package ee.tasker.handler;

import java.time.Duration;
import java.util.Optional;

/** Thrown by a handler when a later attempt may succeed. */
public class RetryableStepException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String errorType;
  private final Duration delay;

  public RetryableStepException(String errorType, String message) {
    this(errorType, message, null, null);
  }

  /**
   * @param delay how long the called service asked us to wait, up to {@link
   *   StepOutcome#LONGEST_DELAY}, or null
   * @throws IllegalArgumentException when it is negative or longer
   */
  public RetryableStepException(String errorType, String message, Duration delay, Throwable cause) {
    super(message, cause);
    this.errorType = errorType;
    this.delay = delay == null ? null : Delays.checked("delay", delay);
  }

  public String errorType() {
    return errorType;
  }

  public final Optional<Duration> delay() {
    return Optional.ofNullable(delay);
  }
}
