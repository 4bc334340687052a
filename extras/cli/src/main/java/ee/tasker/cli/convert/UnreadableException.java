package ee.tasker.cli.convert;

/** The text is not what it should be; the message says where, and how. */
public final class UnreadableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnreadableException(String message) {
    super(message);
  }
}
