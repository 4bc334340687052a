package ee.tasker.handler;

/** Thrown by a handler when a retry would not help. */
public class PermanentStepException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String errorType;

  public PermanentStepException(String errorType, String message) {
    this(errorType, message, null);
  }

  public PermanentStepException(String errorType, String message, Throwable cause) {
    super(message, cause);
    this.errorType = errorType;
  }

  public String errorType() {
    return errorType;
  }
}
