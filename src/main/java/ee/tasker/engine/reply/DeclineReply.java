package ee.tasker.engine.reply;

import jakarta.json.JsonObject;

/**
 * Reply of {@code tasker.decline_steps}.
 *
 * @param hasQueued whether steps were put on queues for workers that have the handler
 */
public record DeclineReply(boolean hasQueued) {

  public static DeclineReply of(JsonObject reply) {
    return new DeclineReply(ReplyKeys.hasQueued(reply));
  }
}
