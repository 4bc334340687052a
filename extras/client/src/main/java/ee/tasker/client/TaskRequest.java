package ee.tasker.client;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A request for a task: the template and its input. Immutable; every method returns another
 * request. The server checks the values.
 */
public final class TaskRequest {
  private final Map<String, JsonValue> members;

  private TaskRequest(Map<String, JsonValue> members) {
    this.members = members;
  }

  /** A task of the latest version of the template, with an empty context. */
  public static TaskRequest of(String namespace, String name) {
    return new TaskRequest(Map.of()).with("namespace", Json.createValue(namespace))
        .with("name", Json.createValue(name))
        .with("context", JsonValue.EMPTY_JSON_OBJECT);
  }

  /** A request with these members, as the interface names them. */
  public static TaskRequest of(JsonObject members) {
    return new TaskRequest(new LinkedHashMap<>(members));
  }

  /** The version of the template, MAJOR.MINOR.PATCH. */
  public TaskRequest version(String version) {
    return with("version", Json.createValue(version));
  }

  public TaskRequest context(JsonObject context) {
    return with("context", context);
  }

  /** −100 to 100; a point is worth a minute of waiting. */
  public TaskRequest priority(int priority) {
    return with("priority", Json.createValue(priority));
  }

  public TaskRequest tags(List<String> tags) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    tags.forEach(array::add);
    return with("tags", array.build());
  }

  public TaskRequest initiator(String initiator) {
    return with("initiator", Json.createValue(initiator));
  }

  public TaskRequest reason(String reason) {
    return with("reason", Json.createValue(reason));
  }

  public TaskRequest correlationId(UUID correlationId) {
    return with("correlation_id", Json.createValue(correlationId.toString()));
  }

  public TaskRequest parent(UUID task) {
    return with("parent_task_uuid", Json.createValue(task.toString()));
  }

  /**
   * Identifies the task within its template for as long as it is kept: a second request with it is
   * a duplicate.
   */
  public TaskRequest idempotencyKey(String key) {
    return with("idempotency_key", Json.createValue(key));
  }

  /**
   * A duplicate is answered with the existing task, instead of a problem {@code duplicate-task}.
   */
  public TaskRequest returnDuplicate() {
    return with("on_duplicate", Json.createValue("return"));
  }

  /** Any member by its name in the interface. */
  public TaskRequest with(String member, JsonValue value) {
    Map<String, JsonValue> more = new LinkedHashMap<>(members);
    more.put(member, value);
    return new TaskRequest(more);
  }

  public JsonObject json() {
    JsonObjectBuilder json = Json.createObjectBuilder();
    members.forEach(json::add);
    return json.build();
  }
}
