package ee.tasker.client;

import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A task as the server showed it: what is asked for most, and the rest in {@link #json()}. In a
 * list it has neither context nor
 * steps.
 *
 * @param json all members
 */
public record Task(JsonObject json) {

  public UUID taskUuid() {
    return UUID.fromString(json.getString("task_uuid"));
  }

  public TaskState state() {
    return TaskState.of(json.getString("state"));
  }

  /**
   * What the task is for, once it has ended well; empty before, without one, and for callers who
   * may not see it.
   */
  public Optional<JsonObject> output() {
    return json.get("output") instanceof JsonObject output ? Optional.of(output) : Optional.empty();
  }

  public String namespace() {
    return json.getString("namespace");
  }

  /**
   * The name of its template; absent in the brief answer to a caller who may act on the task but
   * not read it.
   */
  public Optional<String> name() {
    return text("name");
  }

  /** The version of its template. */
  public Optional<String> version() {
    return text("version");
  }

  /** Why it is blocked or waits, in one sentence. */
  public Optional<String> explanation() {
    return text("explanation");
  }

  public Optional<Instant> createdAt() {
    return text("created_at").map(time -> OffsetDateTime.parse(time).toInstant());
  }

  public Optional<Instant> completedAt() {
    return text("completed_at").map(time -> OffsetDateTime.parse(time).toInstant());
  }

  /** 0 to 100. */
  public double completionPercentage() {
    return json.get("completion_percentage") instanceof JsonNumber number ? number.doubleValue()
        : 0;
  }

  /** Its input; absent if the caller may not see it. */
  public Optional<JsonObject> context() {
    return json.get("context") instanceof JsonObject context ? Optional.of(context)
        : Optional.empty();
  }

  /** Its steps with their states, without results; {@link TaskerClient#steps} has these. */
  public List<Step> steps() {
    JsonValue steps = json.get("steps");
    return steps == null ? List.of()
        : steps.asJsonArray().getValuesAs(JsonObject.class).stream().map(Step::new).toList();
  }

  private Optional<String> text(String member) {
    return json.get(member) instanceof JsonString text ? Optional.of(text.getString())
        : Optional.empty();
  }
}
