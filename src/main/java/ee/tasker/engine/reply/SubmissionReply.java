package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;

/**
 * Reply of {@code tasker.submit_tasks} and {@code tasker.submit_queued_requests}.
 *
 * @param verdicts one for each request, in their order
 */
public record SubmissionReply(JsonArray claimedSteps, boolean hasQueued, List<SubmissionVerdict> verdicts) implements EngineReply {

  public static SubmissionReply of(JsonObject reply) {
    return new SubmissionReply(ReplyKeys.claimedSteps(reply), ReplyKeys.hasQueued(reply),
        reply.getJsonArray("verdicts").getValuesAs(JsonObject.class).stream().map(SubmissionVerdict::of).toList());
  }

  /** Tasks under a concurrency policy are left to an orchestrator's own transaction. */
  @Override
  public boolean hasPending() {
    return verdicts.stream().anyMatch(verdict -> verdict instanceof SubmissionVerdict.Accepted accepted && accepted.isLeftPending());
  }
}
