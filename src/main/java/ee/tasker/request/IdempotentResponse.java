package ee.tasker.request;

import java.util.Optional;

/**
 * The response to a request with a key, which is replayed for the same request.
 *
 * @param isReplay whether it was stored earlier, so that this call changed nothing
 */
public record IdempotentResponse(int status, Optional<String> location, String body,
    boolean isReplay) {

  /** The response to a request that was executed just now. */
  public static IdempotentResponse done(int status, Optional<String> location, String body) {
    return new IdempotentResponse(status, location, body, false);
  }
}
