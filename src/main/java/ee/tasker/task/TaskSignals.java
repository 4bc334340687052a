package ee.tasker.task;

import jakarta.json.JsonValue;
import java.util.UUID;

/**
 * Sends signals from Java to tasks whose steps wait for them, or will. Joins the caller's JTA
 * transaction, or begins its own: the signal exists if and only
 * if that transaction commits, and is delivered after the commit, also when this server dies at
 * once. A call inserts rows and locks no task, so that a long
 * transaction stops nothing. Inject it; it is part of the API jar.
 *
 * <p>What counts against the time-out of a wait is when the method was called. A task that ends
 * before the delivery refuses the signal, of which the caller does not
 * learn: the row stays in {@code tasker.queued_signals} for 30 days, with the reason.
 *
 * <p>Thread-safe. Throws {@link ee.tasker.platform.Problem} for a signal that no task can take; the
 * caller must then roll back the transaction: 404 task-not-found; 400
 * invalid-payload when the payload violates the schema of the signal; 409 when the task has ended
 * or knows no such signal; 413 payload-too-large.
 */
public interface TaskSignals {

  /** @param payload any JSON value of at most 64 KiB */
  void send(UUID task, String name, JsonValue payload);

  /** @param signalId the sender's own id for the signal, which a task takes once */
  void send(UUID task, String name, JsonValue payload, String signalId);

  /**
   * Sends to all unfinished tasks with a correlation id whose templates know the signal, or to
   * none.
   *
   * @param signalId the sender's own id for the signal, or null
   * @param limit    how many tasks there may be
   * @return to how many
   * @throws ee.tasker.platform.Problem 404 no-task-for-signal when there is none, 409
   *   too-many-receivers when there are more than {@code limit}
   */
  int sendByCorrelation(UUID correlationId, String name, JsonValue payload, String signalId,
      int limit);
}
