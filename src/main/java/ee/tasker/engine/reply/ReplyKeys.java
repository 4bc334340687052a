package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.Optional;

/** Names of members that several replies share, and methods to read them. */
final class ReplyKeys {
  static final String ENDED = "ended";
  static final String TASK_UUID = "task_uuid";
  static final String STEP_UUID = "step_uuid";
  static final String STATE = "state";
  static final String CORRELATION_ID = "correlation_id";
  static final String DOCUMENT = "document";
  static final String HANDOFF = "handoff";
  static final String VERDICT = "verdict";
  static final String MESSAGE = "message";
  static final String SERVERS = "servers";
  /** For a text that is not in the reply. */
  static final String NONE = "";
  static final String OUTCOME = "outcome";
  static final String FOUND = "found";
  static final String UNKNOWN_WORKER = "unknown_worker";
  static final String REFUSED = "refused";
  static final String VERDICTS = "verdicts";
  static final String NAMESPACE = "namespace";
  static final String RESULTS = "results";
  static final String FIELD = "field";
  static final String NEXT_RETRY_IN_MS = "next_retry_in_ms";
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
    return reply.get(key) instanceof JsonNumber number
        ? Optional.of(Duration.ofMillis(number.longValue())) : Optional.empty();
  }
}
