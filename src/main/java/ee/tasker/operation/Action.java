package ee.tasker.operation;

import jakarta.json.JsonObject;

/**
 * What a person wants done.
 *
 * @param name   as {@code tasker.act_on_step} or {@code tasker.act_on_task} know it
 * @param by     who, 1 to 128 characters
 * @param reason why, 1 to 1000 characters
 * @param data   what belongs to the action, such as {@code result} or {@code context}
 */
public record Action(String name, String by, String reason, JsonObject data) {
}
