package ee.tasker.engine.reply;

import jakarta.json.JsonObject;
import java.util.List;

/**
 * The consequences of an operator action, from the replies of {@code tasker.act_on_step}, {@code
 * tasker.act_on_task} and similar functions.
 */
public record ActionReply(boolean hasQueued, List<EndedTask> ended) {

  public static ActionReply of(JsonObject reply) {
    return new ActionReply(ReplyKeys.hasQueued(reply), EndedTask.in(reply));
  }
}
