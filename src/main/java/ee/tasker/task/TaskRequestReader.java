package ee.tasker.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.JsonbCheck;
import ee.tasker.platform.Problem;
import ee.tasker.platform.StorableTime;
import ee.tasker.platform.Violations;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Reads a task request from JSON. It drops and rewrites no property: it reports all unknown and
 * invalid ones together.
 */
public final class TaskRequestReader {
  private static final Set<String> MEMBERS = Set.of(
      "name", "namespace", "version", "context", "initiator", "source_system", "reason", "tags",
      "requested_at", "priority",
      "correlation_id", "parent_correlation_id", "parent_task_uuid", "idempotency_key",
      "on_duplicate",
      "trace_parent", "start_at", "delay_seconds");
  /** Ten years. */
  private static final int LONGEST_DELAY_SECONDS = 315_360_000;
  private static final int MAX_DEPTH = 64;
  private static final int MAX_KEYS = 10_000;

  private final JsonObject document;
  private final Violations violations = new Violations();

  private TaskRequestReader(JsonObject document) {
    this.document = document;
  }

  /** @throws Problem 400 with one violation per invalid property */
  public static TaskRequest read(JsonObject document) {
    return new TaskRequestReader(document).read();
  }

  /** Whether a duplicate request returns the existing task instead of a refusal. */
  public static boolean wantsExisting(JsonObject document) {
    return Json.text(document, "on_duplicate").filter("return"::equals).isPresent();
  }

  private TaskRequest read() {
    violations.addUnknown("", document.keySet().stream().filter(key -> !MEMBERS.contains(key)),
        String.join(", ", new TreeSet<>(MEMBERS)));
    String namespace = text("namespace", true, 29);
    String name = text("name", true, 64);
    String version = text("version", false, 16);
    text("initiator", false, 128);
    text("source_system", false, 128);
    text("reason", false, 128);
    text("idempotency_key", false, 256);
    String onDuplicate = text("on_duplicate", false, 16);
    if (onDuplicate != null && !Set.of("return", "refuse").contains(onDuplicate)) {
      wrong("on_duplicate", "must be \"return\" or \"refuse\"");
    }
    uuid("correlation_id");
    uuid("parent_correlation_id");
    uuid("parent_task_uuid");
    String traceParent = text("trace_parent", false, 55);
    if (traceParent != null && !TaskRequest.isTraceParent(traceParent)) {
      wrong("trace_parent",
          "must be a W3C Trace Context traceparent, for example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    }
    checkPriority();
    checkTime("requested_at");
    checkStart();
    checkTags();
    checkContext();
    if (name != null && name.isBlank()) {
      wrong("name", "must not be blank");
    }
    if (namespace != null && !TemplateKey.isNamespace(namespace)) {
      wrong("namespace", "must be a letter followed by letters, digits and underscores");
    }
    if (version != null && !TemplateKey.isVersion(version)) {
      wrong("version", "must be MAJOR.MINOR.PATCH");
    }
    violations.check();
    return request(version == null ? TaskRequest.of(namespace, name)
        : TaskRequest.of(namespace, name, version));
  }

  private TaskRequest request(TaskRequest request) {
    TaskRequest result = request.context(document.getJsonObject("context"));
    for (String key : List.of("initiator", "source_system", "reason", "idempotency_key",
        "trace_parent")) {
      String value = Json.text(document, key).orElse(null);
      if (value != null) {
        result = switch (key) {
          case "initiator" -> result.initiator(value);
          case "source_system" -> result.sourceSystem(value);
          case "reason" -> result.reason(value);
          case "trace_parent" -> result.traceParent(value);
          default -> result.idempotencyKey(value);
        };
      }
    }
    if (document.get("priority") instanceof JsonNumber priority) {
      result = result.priority(priority.intValueExact());
    }
    if (document.get("tags") instanceof JsonArray tags) {
      result = result.tags(tags.getValuesAs(JsonString::getString));
    }
    if (document.get("requested_at") instanceof JsonString requestedAt) {
      result = result.requestedAt(OffsetDateTime.parse(requestedAt.getString()).toInstant());
    }
    if (document.get("start_at") instanceof JsonString startAt) {
      result = result.startAt(OffsetDateTime.parse(startAt.getString()).toInstant());
    }
    if (document.get("delay_seconds") instanceof JsonNumber delay) {
      result = result.delay(Duration.ofSeconds(delay.longValueExact()));
    }
    var correlationId = Json.optionalUuid(document, "correlation_id");
    if (correlationId.isPresent()) {
      result = result.correlationId(correlationId.get());
    }
    var parentTask = Json.optionalUuid(document, "parent_task_uuid");
    if (parentTask.isPresent()) {
      result = result.parentTaskUuid(parentTask.get());
    }
    var parent = Json.optionalUuid(document, "parent_correlation_id");
    return parent.isPresent() ? result.parentCorrelationId(parent.get()) : result;
  }

  private String text(String key, boolean required, int longest) {
    JsonValue value = document.get(key);
    if (value == null || value == JsonValue.NULL) {
      if (required) {
        wrong(key, "is required");
      }
      return null;
    }
    if (!(value instanceof JsonString string)) {
      wrong(key, "must be a string");
      return null;
    }
    String text = string.getString();
    if (text.isEmpty() || text.length() > longest) {
      wrong(key, "must have 1 to " + longest + " characters");
    } else {
      JsonbCheck.complaint(text).ifPresent(complaint -> wrong(key, complaint));
    }
    return text;
  }

  private void uuid(String key) {
    String text = text(key, false, 36);
    if (text != null && !text.matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")) {
      wrong(key, "must be a uuid");
    } else if (text != null) {
      UUID.fromString(text);
    }
  }

  private void checkPriority() {
    JsonValue value = document.get("priority");
    if (value == null || value == JsonValue.NULL) {
      return;
    }
    boolean fits = value instanceof JsonNumber number && number.isIntegral()
        && number.bigDecimalValue().abs().compareTo(BigDecimal.valueOf(100)) <= 0;
    if (!fits) {
      wrong("priority", "must be a whole number from -100 to 100");
    }
  }

  /** The text of the time; null when it is absent. */
  private String checkTime(String key) {
    String text = text(key, false, 64);
    if (text != null && StorableTime.parse(text).isEmpty()) {
      wrong(key,
          "must be a date and time with an offset, of the years 0001 to 9999 in UTC, as in 2026-01-31T12:00:00Z");
    }
    return text;
  }

  /** That it is not too far ahead is checked against the clock of the database. */
  private void checkStart() {
    String text = checkTime("start_at");
    JsonValue delay = document.get("delay_seconds");
    if (delay == null || delay == JsonValue.NULL) {
      return;
    }
    if (text != null) {
      wrong("delay_seconds", "must be absent when start_at is given");
    }
    boolean fits = delay instanceof JsonNumber number && number.isIntegral()
        && number.bigDecimalValue().signum() >= 0
        && number.bigDecimalValue().compareTo(BigDecimal.valueOf(LONGEST_DELAY_SECONDS)) <= 0;
    if (!fits) {
      wrong("delay_seconds", "must be a whole number from 0 to " + LONGEST_DELAY_SECONDS);
    }
  }

  private void checkTags() {
    JsonValue value = document.get("tags");
    if (value == null || value == JsonValue.NULL) {
      return;
    }
    boolean fits = value instanceof JsonArray tags && tags.size() <= 100
        && tags.stream()
            .allMatch(tag -> tag instanceof JsonString text && text.getString().length() <= 128);
    if (!fits) {
      wrong("tags", "must be an array of at most 100 strings of at most 128 characters");
    } else {
      JsonbCheck.complaint(value).ifPresent(complaint -> wrong("tags", complaint));
    }
  }

  private void checkContext() {
    JsonValue context = document.get("context");
    if (context == null || context == JsonValue.NULL) {
      wrong("context", "is required");
    } else if (!(context instanceof JsonObject)) {
      wrong("context", "must be an object");
    } else {
      contextComplaint((JsonObject) context).ifPresent(complaint -> wrong("context", complaint));
    }
  }

  /**
   * @return why the context is invalid, as the rest of a sentence that begins with the field's
   * name; empty when it is valid
   */
  public static Optional<String> contextComplaint(JsonObject context) {
    int[] keys = {0};
    return Optional.ofNullable(check(context, 1, keys)).or(() -> JsonbCheck.complaint(context));
  }

  /** Limits of depth and number of keys; {@link JsonbCheck} checks the limits of PostgreSQL. */
  private static String check(JsonValue value, int depth, int[] keys) {
    if (depth > MAX_DEPTH) {
      return "must not be nested more than " + MAX_DEPTH + " deep";
    }
    if (value instanceof JsonObject object) {
      keys[0] += object.size();
      if (keys[0] > MAX_KEYS) {
        return "must not have more than " + MAX_KEYS + " keys";
      }
      for (JsonValue member : object.values()) {
        String complaint = check(member, depth + 1, keys);
        if (complaint != null) {
          return complaint;
        }
      }
    } else if (value instanceof JsonArray array) {
      for (JsonValue element : array) {
        String complaint = check(element, depth + 1, keys);
        if (complaint != null) {
          return complaint;
        }
      }
    }
    return null;
  }

  /** Reports only the first violation of each field. */
  private void wrong(String field, String message) {
    if (!violations.isWrong(field)) {
      violations.add(field, message);
    }
  }
}
