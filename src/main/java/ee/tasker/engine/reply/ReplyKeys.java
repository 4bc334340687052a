package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Optional;

/** Names of members that several replies have, and how to read them. */
final class ReplyKeys {
  static final String ENDED = "ended";
  static final String TASK_UUID = "task_uuid";
  static final String STEP_UUID = "step_uuid";
  static final String STATE = "state";
  static final String CORRELATION_ID = "correlation_id";
  static final String HANDOFF = "handoff";
  static final String VERDICT = "verdict";
  private static final String CLAIMED_STEPS = "claimed_steps";
  private static final String QUEUED = "queued";

  private ReplyKeys() {
  }

  static JsonArray claimedSteps(JsonObject reply) {
    JsonArray claimedSteps = reply.getJsonArray(CLAIMED_STEPS);
    return claimedSteps == null ? JsonValue.EMPTY_JSON_ARRAY : claimedSteps;
  }

  static boolean hasQueued(JsonObject reply) {
    JsonArray queued = reply.getJsonArray(QUEUED);
    return queued != null && !queued.isEmpty();
  }

  static Optional<Duration> millis(JsonObject reply, String key) {
    return reply.get(key) instanceof JsonNumber number ? Optional.of(Duration.ofMillis(number.longValue())) : Optional.empty();
  }
}
