package ee.tasker.handler;

/**
 * User code for one kind of step. Implementations are CDI beans, found by the name that {@link Handles} gives them or,
 * without it, by their class name; a template names them in {@code handler.callable}.
 *
 * <p>One instance may be called by many threads at once (that depends on its CDI scope); it is called on a managed thread,
 * with the application's naming context, and without an active transaction unless it {@linkplain #isTransactional() asks for
 * one}.
 *
 * <p>What it throws is mapped to an outcome:
 * <ul>
 * <li>{@link PermanentStepException} and {@link IllegalArgumentException}: permanent failure;</li>
 * <li>{@link RetryableStepException}: retryable failure, with its delay if it has one;</li>
 * <li>{@link java.util.concurrent.TimeoutException}: retryable failure of type {@code TimeoutError};</li>
 * <li>{@link java.util.concurrent.CancellationException} and {@link InterruptedException} after a cancel request:
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
   * @return what became of it; null counts as {@link StepOutcome#success()}
   * @throws Exception mapped as the type describes
   */
  StepOutcome handle(StepContext step) throws Exception;

  /**
   * Whether {@link #handle} runs in the JTA transaction that records its result. What it writes to the same database, through
   * the data source {@code jdbc/tasker}, is then there exactly once: it is committed with a success, and rolled back with
   * everything else: any other outcome, an exception, a result that is refused, an attempt that is no longer the current
   * one, a server that dies. Nothing is locked for it while it runs. It must not end the transaction itself.
   *
   * @return the same for every call; false by default
   */
  default boolean isTransactional() {
    return false;
  }
}
