package ee.tasker.rest.task;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.ActionReader;
import ee.tasker.rest.http.Members;
import ee.tasker.rest.http.Parameters;
import ee.tasker.task.TaskRequestReader;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * What a request says about a schedule.
 *
 * @param schedule each member with its value or its default, under the names of the database
 * @param version  that the author saw; null for a new schedule
 * @param by       null when the request does not say
 */
record ScheduleBody(JsonObject schedule, Integer version, String by, String reason) {
  static final Set<String> OVERLAPS = Set.of("skip", "queue_one", "allow", "cancel_previous");
  static final int LONGEST_SECONDS = 31_622_400;
  static final String EVERY = "every_seconds";
  /** What decides about the fire times. */
  static final Set<String> TIMING = Set.of("cron", EVERY, "zone", "starts_at", "ends_at");

  static ScheduleBody create(JsonObject body) {
    return read(body, true);
  }

  static ScheduleBody update(JsonObject body) {
    return read(body, false);
  }

  private static ScheduleBody read(JsonObject body, boolean isNew) {
    Members members = new Members(body);
    JsonObjectBuilder schedule = Json.build().createObjectBuilder();
    if (isNew) {
      String namespace = members.text("namespace", 29);
      if (!namespace.isEmpty() && !TemplateKey.isNamespace(namespace)) {
        members.wrong("namespace", "must be a letter followed by letters, digits and underscores");
      }
      schedule.add("namespace", namespace).add("name", members.text("name", 64));
    }
    schedule.add("template_name", members.text("template", 64));
    String templateVersion = members.optionalText("template_version", 16);
    if (templateVersion != null && !TemplateKey.isVersion(templateVersion)) {
      members.wrong("template_version", "must be MAJOR.MINOR.PATCH");
    }
    add(schedule, "template_version", templateVersion);
    JsonObject context = members.object("context");
    if (context != null) {
      TaskRequestReader.contextComplaint(context)
          .ifPresent(complaint -> members.wrong("context", complaint));
    }
    schedule.add("context", context == null ? Json.build().createObjectBuilder().build() : context)
        .add("options", options(members));
    add(schedule, "time_member", members.optionalText("time_member", 64));
    addTiming(members, schedule);
    schedule.add("overlap", members.has("overlap") ? members.word("overlap", OVERLAPS) : "skip");
    schedule.add("catch_up",
        members.has("catch_up") ? members.word("catch_up", Set.of("last", "all")) : "last");
    addNumber(members, schedule, "catch_up_seconds", 1, LONGEST_SECONDS, 86_400);
    addNumber(members, schedule, "pause_after_failures", 0, 1_000, 10);
    Integer version = isNew ? null : members.number("version", 1, Integer.MAX_VALUE);
    if (!isNew && version == null && !members.has("version")) {
      members.wrong("version", "is required");
    }
    String by = members.optionalText("requested_by", ActionReader.WHO);
    String reason = members.optionalText("reason", ActionReader.WHY);
    members.check();
    return new ScheduleBody(schedule.build(), version, by,
        reason == null ? isNew ? "new schedule" : "changed schedule" : reason);
  }

  /** Members of the task request. */
  private static JsonObject options(Members members) {
    JsonObjectBuilder options = Json.build().createObjectBuilder();
    List<String> tags = members.texts("tags", 100, 128);
    if (tags != null) {
      options.add("tags", Json.build().createArrayBuilder(tags));
    }
    Integer priority = members.number("priority", -100, 100);
    if (priority != null) {
      options.add("priority", priority);
    }
    add(options, "source_system", members.optionalText("source_system", 128));
    return options.build();
  }

  /** Only what decides about the fire times, under the names of the database. */
  static JsonObject timing(JsonObject asked) {
    Members members = new Members(asked);
    JsonObjectBuilder timing = Json.build().createObjectBuilder();
    addTiming(members, timing);
    members.check();
    return timing.build();
  }

  /** The zone and the cron expression are checked by the component that knows them. */
  private static void addTiming(Members members, JsonObjectBuilder schedule) {
    String cron = members.optionalText("cron", 200);
    Integer every = members.number("every_seconds", 1, LONGEST_SECONDS);
    if (!members.has("cron") && !members.has("every_seconds")) {
      members.wrong("cron", "is required, or every_seconds");
    } else if (members.has("cron") && members.has("every_seconds")) {
      members.wrong("every_seconds", "must be absent when cron is given");
    }
    add(schedule, "cron", cron);
    if (every != null) {
      schedule.add("every_seconds", every);
    }
    String zone = members.optionalText("zone", 64);
    schedule.add("zone", zone == null ? "UTC" : zone);
    Instant start = time(members, "starts_at");
    Instant end = time(members, "ends_at");
    if (start != null && end != null && !end.isAfter(start)) {
      members.wrong("ends_at", "must be after starts_at");
    }
    add(schedule, "starts_at", start == null ? null : start.toString());
    add(schedule, "ends_at", end == null ? null : end.toString());
    addNumber(members, schedule, "jitter_seconds", 0, 86_400, 0);
  }

  /** Null when absent or wrong. */
  static Instant time(Members members, String name) {
    String text = members.optionalText(name, 64);
    if (text == null || text.isEmpty()) {
      return null;
    }
    Instant time = Parameters.time(text).orElse(null);
    if (time == null) {
      members.wrong(name, "must be a date and time with an offset, as in 2026-01-31T12:00:00Z");
    }
    return time;
  }

  private static void add(JsonObjectBuilder object, String name, String value) {
    if (value != null) {
      object.add(name, value);
    }
  }

  private static void addNumber(Members members, JsonObjectBuilder schedule, String name, int least,
      int most, int fallback) {
    Integer number = members.number(name, least, most);
    schedule.add(name, number == null ? fallback : number);
  }

  /** A parameter of a query that is a time, or null. */
  static Instant cursor(String value) {
    return value == null ? null
        : Parameters.time(value)
            .orElseThrow(() -> Problem.invalid("cursor", "must be the next of the page before"));
  }
}
