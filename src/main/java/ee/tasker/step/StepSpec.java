package ee.tasker.step;

import ee.tasker.document.SealedPlaces;
import ee.tasker.platform.Json;
import ee.tasker.template.ContextSchema;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The definition of a step in its template. Immutable.
 *
 * @param name the name in the template; a step that was added to a task has a name of its own,
 *   {@link ClaimedStep#name}
 * @param handlerOptions keys of the template's step that only its handler reads
 * @param ancestors names of all steps on which this one depends, directly or indirectly
 * @param sealing   not {@code NOTHING} if anything of the template is sealed
 */
public record StepSpec(
    UUID namedStepUuid, String namespace, String taskName, String taskVersion, String name,
    String callable, String method, Optional<String> resolver, JsonObject initialization,
    JsonObject handlerOptions, Optional<ContextSchema> resultSchema, Optional<Duration> timeout,
    Set<String> ancestors,
    Sealing sealing) {

  /** What is sealed of the steps of a template. */
  public enum Sealing {
    /** Nothing. */
    NOTHING,
    /** What their schemas mark, and whole checkpoints, which no schema describes. */
    MEMBERS,
    /** That, and messages and details of errors. */
    MEMBERS_AND_ERRORS
  }

  /** The callable, with {@code #method} when the method is not the default. */
  public String handler() {
    return "call".equals(method) ? callable : callable + "#" + method;
  }

  /**
   * The error of a result that does not fit the template's result schema, or of which that takes
   * too much work to find out;
   * empty when it fits or there is no schema.
   */
  public Optional<JsonObject> rejection(JsonValue result) {
    return resultSchema.flatMap(schema -> {
      ContextSchema.Verdict verdict = schema.validate(result);
      if (verdict instanceof ContextSchema.Verdict.Invalid invalid) {
        ContextSchema.Violation first = invalid.violations().get(0);
        return Optional.of(error("result_schema_violation",
            "result" + first.pointer() + ": " + first.message(), result));
      }
      return verdict instanceof ContextSchema.Verdict.Undecided undecided
          ? Optional.of(error("result_not_validated",
              "the result could not be validated: " + undecided.reason(), result))
          : Optional.empty();
    });
  }

  /** Without the result where members of it are sealed: it does not fit the schema that says so. */
  private JsonObject error(String type, String message, JsonValue result) {
    JsonObjectBuilder error = StepResult.error(type, message);
    return (sealed().isNone() ? error.add("result", result) : error).build();
  }

  /** The places of a valid result that are to be sealed. */
  public SealedPlaces sealed() {
    return resultSchema.map(ContextSchema::sealed).orElse(SealedPlaces.NONE);
  }

  /** @param document as {@code tasker.get_step_definitions} answers it */
  public static StepSpec of(JsonObject document) {
    Optional<ContextSchema> schema = Optional.ofNullable(document.get("result_schema"))
        .filter(value -> value != JsonValue.NULL)
        .map(value -> ContextSchema.compile(value.toString()));
    Optional<Duration> timeout = document.isNull("timeout_seconds")
        ? Optional.empty() : Optional.of(Duration.ofSeconds(document.getInt("timeout_seconds")));
    return new StepSpec(
        ClaimedStep.templateStepUuid(document), document.getString("namespace"),
        document.getString("name"), document.getString("version"), document.getString("step"),
        document.getString("callable"), document.getString("method"),
        Json.text(document, "resolver"), document.getJsonObject("initialization"),
        Json.object(document, "handler_options"), schema, timeout,
        new LinkedHashSet<>(document.getJsonArray("ancestors").getValuesAs(JsonString::getString)),
        Sealing.valueOf(document.getString("sealing").toUpperCase(Locale.ROOT)));
  }
}
