package ee.tasker.handler;

/**
 * User code for one kind of step. Implementations are CDI beans, found by the name that {@link
 * Handles} gives them or,
 * without it, by their class name; a template names them in {@code handler.callable}.
 *
 * <p>One instance may be called by many threads at once (that depends on its CDI scope); it is
 * called on a managed thread,
 * with the application's naming context, and without an active transaction unless it {@linkplain
 * #isTransactional() asks for
 * one}.
 *
 * <p>What it throws is mapped to an outcome:
 * <ul>
 * <li>{@link PermanentStepException} and {@link IllegalArgumentException}: permanent failure;</li>
 * <li>{@link RetryableStepException}: retryable failure, with its delay if it has one;</li>
 * <li>{@link java.util.concurrent.TimeoutException}: retryable failure of type {@code
 * TimeoutError};</li>
 * <li>{@link java.util.concurrent.CancellationException} and {@link InterruptedException} after a
 * cancel request:
 * cancelled;</li>
 * <li>any other {@link Exception}: retryable failure of type {@code UnexpectedError};</li>
 * <li>any {@link Error}: permanent failure of type {@code handler_panic}.</li>
 * </ul>
 */
@FunctionalInterface
public interface StepHandler {

  /**
   * Does the step's work.
   *
   * @return the step's outcome; null counts as {@link StepOutcome#success()}
   * @throws Exception mapped as the type describes
   */
  StepOutcome handle(StepContext step) throws Exception;

  /**
   * Whether {@link #handle} runs in the JTA transaction that records its result. What the handler
   * writes to the same
   * database through the data source {@code jdbc/tasker} then takes effect exactly once: it is
   * committed together with a
   * success, and rolled back for any other outcome, an exception, a refused result, an attempt that
   * is no longer current,
   * or a server crash. The engine holds no locks for it while it runs. The handler must not end the
   * transaction itself.
   *
   * @return the same value for every call; false by default
   */
  default boolean isTransactional() {
    return false;
  }
}
