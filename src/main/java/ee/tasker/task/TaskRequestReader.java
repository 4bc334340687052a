package ee.tasker.task;

import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.StorableTime;
import ee.tasker.platform.Violations;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.Optional;
import java.util.UUID;

/** Reads a task request from JSON. It drops no property: it reports all unknown and wrong ones. */
public final class TaskRequestReader {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_KEYS = 10_000;
  private static final BodySchema SCHEMA = BodySchema.of("TaskRequest");

  private TaskRequestReader() {
  }

  /** @throws Problem 400 with one violation per invalid property */
  public static TaskRequest read(JsonObject document) {
    SCHEMA.check(document, TaskRequestReader::check);
    JsonObjectBuilder members = Json.build().createObjectBuilder();
    document.forEach((name, value) -> {
      if (value != JsonValue.NULL && !"on_duplicate".equals(name)) {
        members.add(name, inOneForm(name, value));
      }
    });
    return TaskRequest.of(members.build());
  }

  private static void check(JsonObject document, Violations violations) {
    checkContext(document, violations);
    // That it is not too far ahead is checked against the clock of the database.
    if (!Members.isAbsent(document, "start_at")
        && !Members.isAbsent(document, "delay_seconds")) {
      violations.add("delay_seconds", "must be absent when start_at is given");
    }
    String trace = document.getString("trace_parent", null);
    if (trace != null && !TaskRequest.isTraceParent(trace)) {
      violations.add("trace_parent", "must be a W3C Trace Context traceparent,"
          + " for example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    }
    checkVersion(document, "version", violations);
  }

  /** Whether a duplicate request returns the existing task instead of a refusal. */
  public static boolean wantsExisting(JsonObject document) {
    return Json.text(document, "on_duplicate").filter("return"::equals).isPresent();
  }

  private static JsonValue inOneForm(String name, JsonValue value) {
    return switch (name) {
      case "requested_at", "start_at" -> Json.string(
          StorableTime.parse(((JsonString) value).getString()).orElseThrow().toString());
      case "correlation_id", "parent_correlation_id", "parent_task_uuid" -> Json.string(
          UUID.fromString(((JsonString) value).getString()).toString());
      default -> value;
    };
  }

  /** Reports a member that is there and no version; its schema says less. */
  public static void checkVersion(JsonObject body, String member, Violations violations) {
    String version = body.getString(member, null);
    if (version != null && !TemplateKey.isVersion(version)) {
      violations.add(member,
          "must be MAJOR.MINOR.PATCH with an optional prerelease, without leading zeros");
    }
  }

  /** The limits of the member {@code context} that its schema does not say; it may be absent. */
  public static void checkContext(JsonObject body, Violations violations) {
    int[] keys = {0};
    Optional.ofNullable(check(body.getOrDefault("context", JsonValue.NULL), 1, keys))
        .ifPresent(complaint -> violations.add("context", complaint));
  }

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
}
