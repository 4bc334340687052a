package ee.tasker.operation;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

/**
 * An action that an operator requests.
 *
 * @param name   as {@code tasker.act_on_step} or {@code tasker.act_on_task} define it
 * @param by     who, 1 to 128 characters
 * @param reason why, 1 to 1000 characters
 * @param data   arguments of the action, such as {@code result} or {@code context}
 */
public record Action(String name, String by, String reason, JsonObject data) {
  /** The same with another value of a member. */
  Action with(String member, JsonValue value) {
    return new Action(name, by, reason,
        Json.build().createObjectBuilder(data).add(member, value).build());
  }
}
