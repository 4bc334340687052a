package ee.tasker.engine.reply;

import ee.tasker.platform.Refusals;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;

/** Reply of {@code tasker.drop_history_month}: the month that was treated, and how. */
public record DroppedMonth(String month, String outcome) {

  /** @return empty when there was no month to gain from */
  public static Optional<DroppedMonth> of(JsonValue reply) {
    return reply instanceof JsonObject dropped
        ? Optional.of(new DroppedMonth(dropped.getString("month"), Refusals.outcome(dropped)))
        : Optional.empty();
  }
}
