package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.util.List;

/**
 * Reply of {@code tasker.submit_tasks} and {@code tasker.submit_queued_requests}.
 *
 * @param verdicts one for each request, in the order of the requests
 */
public record SubmissionReply(JsonArray claimedSteps, boolean hasQueued,
    List<SubmissionVerdict> verdicts) implements EngineReply {

  public static SubmissionReply of(JsonObject reply) {
    return new SubmissionReply(ReplyKeys.claimedSteps(reply), ReplyKeys.hasQueued(reply),
        reply.getJsonArray(ReplyKeys.VERDICTS).getValuesAs(JsonObject.class).stream()
            .map(SubmissionVerdict::of).toList());
  }

  /**
   * An orchestrator starts tasks under a concurrency policy in its own transaction, and has to know
   * when waits and delays end.
   */
  @Override
  public boolean hasPending() {
    return verdicts.stream()
        .anyMatch(verdict -> verdict instanceof SubmissionVerdict.Accepted accepted
            && accepted.isLeftPending());
  }
}
