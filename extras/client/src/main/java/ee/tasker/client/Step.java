package ee.tasker.client;

import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.UUID;

/**
 * A step of a task as the server showed it.
 *
 * @param json all members
 */
public record Step(JsonObject json) {

  public UUID stepUuid() {
    return UUID.fromString(json.getString("step_uuid"));
  }

  public String name() {
    return json.getString("name");
  }

  /** {@code pending}, {@code in_progress}, {@code complete} …, as in the state machine. */
  public String state() {
    return json.getString("state");
  }

  /** The number of the latest attempt; 0 before the first. */
  public int attempts() {
    return json.getInt("attempts");
  }

  /** Its result; absent if it has none, and for steps of {@link Task#steps()}. */
  public Optional<JsonValue> result() {
    return Optional.ofNullable(json.get("result")).filter(value -> value != JsonValue.NULL);
  }

  /** The failure of its latest attempt: {@code type} and {@code message}. */
  public Optional<JsonObject> error() {
    return json.get("error") instanceof JsonObject error ? Optional.of(error) : Optional.empty();
  }
}
