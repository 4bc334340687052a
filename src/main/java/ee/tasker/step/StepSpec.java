package ee.tasker.step;

import ee.tasker.platform.Json;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What the template says about a step. It never changes.
 *
 * @param ancestors names of all steps that this one depends on, at any distance
 */
public record StepSpec(
    UUID namedStepUuid, String namespace, String taskName, String taskVersion, String name, String callable, String method,
    Optional<String> resolver, JsonObject initialization, Optional<ContextSchema> resultSchema, Optional<Duration> timeout,
    Set<String> ancestors) {

  /** What runs it: the callable, and the method when that is another than usual. */
  public String handler() {
    return "call".equals(method) ? callable : callable + "#" + method;
  }

  static StepSpec of(JsonObject document) {
    Optional<ContextSchema> schema = Optional.ofNullable(document.get("result_schema"))
        .filter(value -> value != JsonValue.NULL)
        .map(value -> ContextSchema.compile(value.toString()));
    Optional<Duration> timeout = document.isNull("timeout_seconds")
        ? Optional.empty() : Optional.of(Duration.ofSeconds(document.getInt("timeout_seconds")));
    return new StepSpec(
        Json.uuid(document, "template_step_uuid"), document.getString("namespace"), document.getString("name"),
        document.getString("version"), document.getString("step"), document.getString("callable"),
        document.getString("method"), Json.text(document, "resolver"), document.getJsonObject("initialization"), schema, timeout,
        new LinkedHashSet<>(document.getJsonArray("ancestors").getValuesAs(JsonString::getString)));
  }
}
