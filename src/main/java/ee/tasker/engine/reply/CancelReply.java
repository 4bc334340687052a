package ee.tasker.engine.reply;

import ee.tasker.engine.model.TaskState;
import jakarta.json.JsonObject;
import java.util.List;

/**
 * Reply of {@code tasker.request_cancel} for a task that there is.
 *
 * @param state the state of the task, which is cancelled at once when nothing of it runs
 */
public record CancelReply(boolean hadEnded, TaskState state, List<EndedTask> ended) {

  public static CancelReply of(JsonObject reply) {
    return new CancelReply("already_ended".equals(reply.getString("outcome")), TaskState.of(reply.getString(ReplyKeys.STATE)),
        EndedTask.in(reply));
  }

  /** The task has ended otherwise, so that it cannot be cancelled any more. */
  public boolean isTooLate() {
    return hadEnded && state != TaskState.CANCELLED;
  }
}
