package ee.tasker.cli;

/** A name that the command looked up is not there; ends as a 404 does. */
final class NotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1;

  NotFoundException(String message) {
    super(message);
  }
}
