package ee.tasker.cli;

/** The command line or the configuration is wrong; the message says how. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
