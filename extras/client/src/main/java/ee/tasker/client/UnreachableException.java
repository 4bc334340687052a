package ee.tasker.client;

/**
 * No answer: no connection, a broken connection, or none within the time-out. Unless the request
 * only reads or had an
 * idempotency key, it is unknown whether it took effect.
 */
public final class UnreachableException extends TaskerException {

  UnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
