package ee.tasker.handler;

import java.time.Duration;
import java.util.Optional;

/**
 * Maps the status of an HTTP response to an outcome, for handlers that call other services.
 * Stateless.
 */
public final class HttpFailures {

  private HttpFailures() {
  }

  /**
   * 408, 425, 429 and 5xx except 501 are retryable; every other status from 400 up is permanent.
   *
   * @param retryAfter the {@code Retry-After} header in seconds, or null; an HTTP date is ignored,
   *   and so is what is longer than
   *                   {@link StepOutcome#LONGEST_DELAY}
   * @return empty for a status below 400, which is not a failure
   */
  public static Optional<StepOutcome> of(int status, String retryAfter, String message) {
    if (status < 400) {
      return Optional.empty();
    }
    String type = "Http" + status;
    if (status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501)) {
      return Optional.of(seconds(retryAfter)
          .map(delay -> StepOutcome.retryableAfter(delay, type, message))
          .orElseGet(() -> StepOutcome.retryable(type, message)));
    }
    return Optional.of(StepOutcome.permanent(type, message));
  }

  private static Optional<Duration> seconds(String retryAfter) {
    return retryAfter != null && retryAfter.strip().matches("\\d{1,9}")
        ? Optional.of(Duration.ofSeconds(Long.parseLong(retryAfter.strip())))
            .filter(delay -> delay.compareTo(StepOutcome.LONGEST_DELAY) <= 0)
        : Optional.empty();
  }
}
