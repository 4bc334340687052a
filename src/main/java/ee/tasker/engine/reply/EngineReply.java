package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What a call answers that may have claimed steps for this server or moved tasks on, as all who have to act on that see it. */
public sealed interface EngineReply permits ClaimReply, ResultsReply, SubmissionReply, RoundReply {

  /** The documents of the steps that were claimed for this server. */
  JsonArray claimedSteps();

  /** Whether tasks or steps have changed, beyond being claimed. */
  default boolean hasMoved() {
    return true;
  }

  /** Whether steps were put on queues. */
  default boolean hasQueued() {
    return false;
  }

  /** Whether tasks were left to an orchestrator's own transaction. */
  default boolean hasPending() {
    return false;
  }

  /** Tasks that have come to rest. */
  default List<EndedTask> ended() {
    return List.of();
  }

  /** In how long the first of the retries that the call has planned is due. */
  default Optional<Duration> nextRetryIn() {
    return Optional.empty();
  }
}
