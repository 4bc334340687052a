package ee.tasker.rest.task;

import ee.tasker.rest.http.Members;
import ee.tasker.template.model.Limits;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.UUID;

/**
 * What a request says about a signal.
 *
 * @param payload       JSON null when absent
 * @param signalId      null when absent
 * @param correlationId null for a signal to one task
 * @param limit         how many tasks there may be
 */
record SignalBody(JsonValue payload, String signalId, UUID correlationId, int limit) {
  private static final int ID = 128;
  private static final int MOST_TASKS = 1_000;

  static SignalBody toTask(String name, JsonObject document) {
    return read(name, new Members(document), false);
  }

  static SignalBody byCorrelation(String name, JsonObject document) {
    return read(name, new Members(document), true);
  }

  private static SignalBody read(String name, Members members, boolean correlated) {
    UUID correlationId = correlated
        ? members.required("correlation_id", members.uuid("correlation_id"), null) : null;
    Integer limit = correlated ? members.number("limit", 1, MOST_TASKS) : null;
    JsonValue payload = members.has("payload") ? members.anything("payload") : JsonValue.NULL;
    String signalId = members.optionalText("signal_id", ID);
    if (name.isBlank() || name.length() > Limits.SIGNAL_NAME) {
      members.wrong("name", "must have 1 to " + Limits.SIGNAL_NAME + " characters");
    }
    members.check();
    return new SignalBody(payload, signalId, correlationId, limit == null ? 1 : limit);
  }
}
