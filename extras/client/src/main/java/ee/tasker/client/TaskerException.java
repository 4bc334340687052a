package ee.tasker.client;

/**
 * The request did not succeed: the server {@linkplain ProblemException refused} it, or {@linkplain
 * UnreachableException did not answer}.
 */
public abstract sealed class TaskerException extends RuntimeException
    permits ProblemException, UnreachableException {

  TaskerException(String message, Throwable cause) {
    super(message, cause);
  }
}
