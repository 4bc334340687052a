package ee.tasker.request;

import java.util.Optional;

/**
 * What is answered to a request, and again to the same one.
 *
 * @param isReplay whether it was kept from an earlier time, so that nothing was done now
 */
public record IdempotentResponse(int status, Optional<String> location, String body, boolean isReplay) {

  /** The answer to a request that was done just now. */
  public static IdempotentResponse done(int status, Optional<String> location, String body) {
    return new IdempotentResponse(status, location, body, false);
  }
}
