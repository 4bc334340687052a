package ee.tasker.message;

import ee.tasker.engine.reply.EndedTask;
import java.util.List;
import java.util.UUID;

/** Notifies the callers that wait on this server for the end of a task. */
public interface EndListener {

  /** Tasks have ended, or are blocked until an operator acts. */
  void tasksEnded(List<EndedTask> ended);

  /** Whether a caller waits on this server for the end of the task. */
  boolean isAwaited(UUID taskUuid);
}
