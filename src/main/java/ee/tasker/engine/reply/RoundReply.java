package ee.tasker.engine.reply;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reply of one round of one duty of the orchestrator: {@code tasker.process_step_results}, {@code
 * tasker.advance_due_tasks}
 * and {@code tasker.start_validated_tasks}; for queued requests it is derived from a {@link
 * SubmissionReply}.
 *
 * @param processed  number of messages or tasks that the round processed; 0 when the duty has no
 *   more work
 * @param nextWakeIn the time until the next task is due
 */
public record RoundReply(int processed, JsonArray claimedSteps, boolean hasQueued,
    List<EndedTask> ended, Optional<Duration> nextWakeIn) implements EngineReply {
  /** The round found no work. */
  public static final RoundReply NOTHING = new RoundReply(0, JsonValue.EMPTY_JSON_ARRAY, false,
      List.of(), Optional.empty());

  public static RoundReply ofMessages(JsonObject reply) {
    return of(reply.getInt("messages"), reply);
  }

  public static RoundReply ofTasks(JsonObject reply) {
    return of(reply.getInt("tasks"), reply);
  }

  /** The same run of the orchestrator advances tasks that were left pending. */
  public static RoundReply ofRequests(int messages, SubmissionReply reply) {
    return new RoundReply(messages, reply.claimedSteps(), reply.hasQueued(), reply.ended(),
        Optional.empty());
  }

  /**
   * The round has done nothing yet, and the next one is due after the time that the reply gives.
   */
  public static RoundReply ofNothing(JsonObject reply) {
    return new RoundReply(0, JsonValue.EMPTY_JSON_ARRAY, false, List.of(),
        ReplyKeys.millis(reply, "next_wake_in_ms"));
  }

  /** Two parts of one round; the time is that of the first. */
  public RoundReply and(RoundReply other) {
    JsonArrayBuilder claimed = Json.build().createArrayBuilder(claimedSteps);
    other.claimedSteps.forEach(claimed::add);
    return new RoundReply(processed + other.processed, claimed.build(),
        hasQueued || other.hasQueued, Stream.concat(ended.stream(), other.ended.stream()).toList(),
        nextWakeIn);
  }

  private static RoundReply of(int processed, JsonObject reply) {
    return new RoundReply(processed, ReplyKeys.claimedSteps(reply), ReplyKeys.hasQueued(reply),
        EndedTask.in(reply), ReplyKeys.millis(reply, "next_wake_in_ms"));
  }

  @Override
  public boolean hasMoved() {
    return processed > 0;
  }
}
