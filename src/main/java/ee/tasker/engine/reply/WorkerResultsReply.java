package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reply of {@code tasker.submit_worker_results}, and one of the replies of {@code
 * tasker.submit_results_of_workers}.
 *
 * @param isRefused whether the database refuses the data, which only the second reports so; nothing
 *   has changed then
 * @param isUnknown whether there is no such worker, or another caller registered it; nothing has
 *   changed then
 * @param state     the worker's state
 * @param verdicts  objects with {@code step_uuid}, {@code handoff} and {@code verdict}, in the
 *   order of the results
 * @param accepted  which of the results were accepted, in their order
 */
public record WorkerResultsReply(boolean isRefused, boolean isUnknown, String state,
    JsonArray verdicts, List<Boolean> accepted, JsonArray claimedSteps, boolean hasQueued,
    List<EndedTask> ended, Optional<Duration> nextRetryIn) implements EngineReply {

  public static WorkerResultsReply of(JsonObject reply) {
    String outcome = reply.getString(ReplyKeys.OUTCOME);
    if (!"submitted".equals(outcome)) {
      return new WorkerResultsReply(ReplyKeys.REFUSED.equals(outcome),
          ReplyKeys.UNKNOWN_WORKER.equals(outcome), ReplyKeys.NONE, JsonValue.EMPTY_JSON_ARRAY,
          List.of(), JsonValue.EMPTY_JSON_ARRAY, false, List.of(), Optional.empty());
    }
    JsonArray verdicts = reply.getJsonArray(ReplyKeys.VERDICTS);
    return new WorkerResultsReply(false, false, reply.getString(ReplyKeys.STATE), verdicts,
        verdicts.getValuesAs(JsonObject.class).stream()
            .map(each -> "accepted".equals(each.getString(ReplyKeys.VERDICT))).toList(),
        ReplyKeys.claimedSteps(reply), ReplyKeys.hasQueued(reply), EndedTask.in(reply),
        ReplyKeys.millis(reply, ReplyKeys.NEXT_RETRY_IN_MS));
  }
}
