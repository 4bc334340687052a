package ee.tasker.run;

/** Something the reader of the terminal can put right. The message is one sentence for them; no stack trace is shown. */
public final class RunProblem extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public RunProblem(String message) {
    super(message);
  }

  public RunProblem(String message, Throwable cause) {
    super(message, cause);
  }
}
