package ee.tasker.rest.task;

import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Members;
import ee.tasker.rest.http.Parameters;
import ee.tasker.task.TaskRequestReader;
import ee.tasker.template.model.TemplateKey;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.Set;

/**
 * What a request says about a schedule.
 *
 * @param schedule each member with its value or its default, under the names of the database
 * @param version  that the author saw; null for a new schedule
 * @param author   the caller, when the request does not name another
 */
record ScheduleBody(JsonObject schedule, Integer version, Author author) {
  static final Set<String> OVERLAPS = Set.of("skip", "queue_one", "allow", "cancel_previous");
  static final int LONGEST_SECONDS = 31_622_400;
  static final String EVERY = "every_seconds";

  static ScheduleBody create(JsonObject body, String actor) {
    return read(body, true, actor);
  }

  static ScheduleBody update(JsonObject body, String actor) {
    return read(body, false, actor);
  }

  private static ScheduleBody read(JsonObject body, boolean isNew, String actor) {
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
    Members.addGiven(schedule, "template_version", templateVersion);
    JsonObject context = members.object("context");
    if (context != null) {
      TaskRequestReader.contextComplaint(context)
          .ifPresent(complaint -> members.wrong("context", complaint));
    }
    schedule.add("context", context == null ? Json.build().createObjectBuilder().build() : context)
        .add("options", options(members));
    Members.addGiven(schedule, "time_member", members.optionalText("time_member", 64));
    addTiming(members, schedule);
    schedule.add("overlap", members.word("overlap", OVERLAPS, "skip"))
        .add("catch_up", members.word("catch_up", Set.of("last", "all"), "last"))
        .add("catch_up_seconds", members.number("catch_up_seconds", 1, LONGEST_SECONDS, 86_400))
        .add("pause_after_failures", members.number("pause_after_failures", 0, 1_000, 10));
    Integer version = isNew ? null
        : members.required("version", members.number("version", 1, Integer.MAX_VALUE), null);
    return new ScheduleBody(schedule.build(), version,
        Authors.of(members, actor, isNew ? "new schedule" : "changed schedule"));
  }

  /** Members of the task request. */
  private static JsonObject options(Members members) {
    JsonObjectBuilder options = Json.build().createObjectBuilder();
    Members.addGiven(options, "tags", members.texts("tags", 100, 128));
    Members.addGiven(options, "priority", members.number("priority", -100, 100));
    Members.addGiven(options, "source_system", members.optionalText("source_system", 128));
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
    Members.addGiven(schedule, "cron", cron);
    Members.addGiven(schedule, "every_seconds", every);
    String zone = members.optionalText("zone", 64);
    schedule.add("zone", zone == null ? "UTC" : zone);
    Instant start = time(members, "starts_at");
    Instant end = time(members, "ends_at");
    if (start != null && end != null && !end.isAfter(start)) {
      members.wrong("ends_at", "must be after starts_at");
    }
    Members.addGiven(schedule, "starts_at", start);
    Members.addGiven(schedule, "ends_at", end);
    schedule.add("jitter_seconds", members.number("jitter_seconds", 0, 86_400, 0));
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

  /** A parameter of a query that is a time, or null. */
  static Instant cursor(String value) {
    return value == null ? null
        : Parameters.time(value)
            .orElseThrow(() -> Problem.invalid("cursor", "must be the next of the page before"));
  }
}
