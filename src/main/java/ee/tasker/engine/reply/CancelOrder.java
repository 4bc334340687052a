package ee.tasker.engine.reply;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * Reply of {@code tasker.get_cancel_requests}: a cancel request for a running step.
 *
 * @param forceIn the remaining time of its grace period
 */
public record CancelOrder(UUID stepUuid, int handoff, Duration forceIn) {

  public static List<CancelOrder> of(JsonArray reply) {
    return reply.getValuesAs(JsonObject.class).stream().map(CancelOrder::of).toList();
  }

  private static CancelOrder of(JsonObject document) {
    return new CancelOrder(Json.uuid(document, ReplyKeys.STEP_UUID),
        document.getInt(ReplyKeys.HANDOFF),
        Duration.ofMillis(document.getJsonNumber("force_in_ms").longValue()));
  }
}
