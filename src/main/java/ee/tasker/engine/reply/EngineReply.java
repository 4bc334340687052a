package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The reply of a call that may have claimed steps for this server or moved tasks, as the components
 * that react to it see it.
 */
public sealed interface EngineReply
    permits ClaimReply, ResultsReply, SubmissionReply, RoundReply, WorkerResultsReply {

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

  /** Whether the call left tasks to an orchestrator's own transaction. */
  default boolean hasPending() {
    return false;
  }

  /** Tasks that became terminal or blocked. */
  default List<EndedTask> ended() {
    return List.of();
  }

  /** The time until the first retry that the call scheduled. */
  default Optional<Duration> nextRetryIn() {
    return Optional.empty();
  }
}
