package ee.tasker.run;

/**
 * A problem that the user of the terminal can fix. The message is one sentence for that user; no
 * stack trace is shown.
 */
public final class RunProblem extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public RunProblem(String message) {
    super(message);
  }

  public RunProblem(String message, Throwable cause) {
    super(message, cause);
  }
}
