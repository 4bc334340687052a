package ee.tasker.rest.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.template.model.Limits;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.UUID;

/**
 * What a valid request says about a signal.
 *
 * @param payload       JSON null when absent
 * @param signalId      null when absent
 * @param correlationId null for a signal to one task
 * @param limit         how many tasks there may be
 */
record SignalBody(JsonValue payload, String signalId, UUID correlationId, int limit) {

  static SignalBody read(String name, JsonObject body) {
    if (name.isBlank() || name.length() > Limits.SIGNAL_NAME) {
      throw Problem.invalid("name", "must have 1 to " + Limits.SIGNAL_NAME + " characters");
    }
    return new SignalBody(body.getOrDefault("payload", JsonValue.NULL),
        body.getString("signal_id", null), Json.optionalUuid(body, "correlation_id").orElse(null),
        body.getInt("limit", 1));
  }
}
