package ee.tasker.engine.reply;

import ee.tasker.engine.model.ResultVerdict;
import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reply of {@code tasker.complete_steps}.
 *
 * @param refused results that the database did not accept
 * @param isChanged whether a result was recorded with another outcome than was submitted: a choice,
 *   batches or a yield that is not allowed
 */
public record ResultsReply(JsonArray claimedSteps, boolean hasQueued, List<EndedTask> ended,
    List<Refused> refused, Optional<Duration> nextRetryIn,
    boolean isChanged) implements EngineReply {

  /** A refused result and the reason. */
  public record Refused(UUID stepUuid, int handoff, ResultVerdict verdict) {

    private static Refused of(JsonObject document) {
      return new Refused(Json.uuid(document, ReplyKeys.STEP_UUID),
          document.getInt(ReplyKeys.HANDOFF),
          ResultVerdict.valueOf(document.getString(ReplyKeys.VERDICT)));
    }
  }

  public static ResultsReply of(JsonObject reply) {
    JsonArray refused = reply.getJsonArray(ReplyKeys.REFUSED);
    return new ResultsReply(ReplyKeys.claimedSteps(reply), ReplyKeys.hasQueued(reply),
        EndedTask.in(reply),
        refused.isEmpty() ? List.of()
            : refused.getValuesAs(JsonObject.class).stream().map(Refused::of).toList(),
        ReplyKeys.millis(reply, ReplyKeys.NEXT_RETRY_IN_MS), reply.getInt("changed") > 0);
  }
}
