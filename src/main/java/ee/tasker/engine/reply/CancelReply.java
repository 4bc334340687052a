package ee.tasker.engine.reply;

import ee.tasker.engine.model.TaskState;
import ee.tasker.platform.Refusals;
import jakarta.json.JsonObject;
import java.util.List;

/**
 * Reply of {@code tasker.request_cancel} for an existing task.
 *
 * @param state the state of the task, which is cancelled at once when no step is in flight
 */
public record CancelReply(boolean hadEnded, TaskState state, List<EndedTask> ended) {

  public static CancelReply of(JsonObject reply) {
    return new CancelReply("already_ended".equals(Refusals.outcome(reply)),
        TaskState.of(reply.getString(ReplyKeys.STATE)), EndedTask.in(reply));
  }

  /** The task has ended in another state and can no longer be cancelled. */
  public boolean isTooLate() {
    return hadEnded && state != TaskState.CANCELLED;
  }
}
