package ee.tasker.document;

/** There is no key of that name, or none at all: what it has sealed cannot be opened here. */
public class UnknownKeyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownKeyException(String message) {
    super(message);
  }
}
