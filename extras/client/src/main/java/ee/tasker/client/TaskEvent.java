package ee.tasker.client;

import jakarta.json.JsonObject;

/**
 * A transition of a task or a step, in a stream of events.
 *
 * @param id opaque; a stream that begins after it continues without gap or repetition
 * @param type {@code task}, {@code step}, {@code end} or {@code alive}
 * @param data its members: {@code task_uuid}, {@code step}, {@code from_state}, {@code to_state},
 *   {@code at} …
 */
public record TaskEvent(String id, String type, JsonObject data) {
}
