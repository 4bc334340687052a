package ee.tasker.handler;

import java.util.UUID;

/**
 * The step was given to a later attempt, or closed, while this attempt was still running. Its
 * result would be refused: stop.
 */
public class StaleAttemptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StaleAttemptException(UUID stepUuid, int attempt) {
    super("attempt " + attempt + " of step " + stepUuid + " is no longer the current one");
  }
}
