package ee.tasker.rest.task;

import ee.tasker.platform.Author;
import ee.tasker.platform.BodySchema;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.StorableTime;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Parameters;
import ee.tasker.task.TaskRequestReader;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * What a valid request says about a schedule.
 *
 * @param schedule each member with its value or its default, under the names of the database
 * @param version  that the author saw; null for a new schedule
 * @param author   the caller, when the request does not name another
 */
record ScheduleBody(JsonObject schedule, Integer version, Author author) {
  static final String EVERY = "every_seconds";

  static ScheduleBody read(JsonObject body, String actor) {
    JsonObjectBuilder schedule = Members.given(body, "namespace", "name", "template_version",
        "time_member", "overlap", "catch_up", "catch_up_seconds", "pause_after_failures")
        .add("template_name", body.getString("template"))
        .add("context", Json.object(body, "context"));
    JsonObjectBuilder options = Members.given(body, "priority", "source_system");
    Members.addGiven(options, "tags", Members.texts(body, "tags"));
    schedule.add("options", options).addAll(timing(body));
    Integer version = Members.integer(body, "version");
    return new ScheduleBody(schedule.build(), version,
        Authors.of(body, actor, version == null ? "new schedule" : "changed schedule"));
  }

  /** The rules that the schemas of a schedule do not say. */
  static void check(JsonObject body, Violations violations) {
    TaskRequestReader.checkVersion(body, "template_version", violations);
    TaskRequestReader.checkContext(body, violations);
    checkTiming(body, violations);
  }

  /** Only what decides about the fire times, under the names of the database. */
  static JsonObject timingOf(JsonObject asked) {
    return timing(BodySchema.of("NewSchedule").part(asked, ScheduleBody::checkTiming)).build();
  }

  /** The zone and the cron expression are checked by the component that knows them. */
  private static void checkTiming(JsonObject body, Violations violations) {
    if (Members.isAbsent(body, "cron") == Members.isAbsent(body, EVERY)) {
      violations.add(Members.isAbsent(body, EVERY) ? "cron" : EVERY,
          Members.isAbsent(body, EVERY) ? "is required, or every_seconds"
              : "must be absent when cron is given");
    }
    Instant start = time(body, "starts_at");
    Instant end = time(body, "ends_at");
    if (start != null && end != null && !end.isAfter(start)) {
      violations.add("ends_at", "must be after starts_at");
    }
  }

  private static JsonObjectBuilder timing(JsonObject body) {
    JsonObjectBuilder timing = Members.given(body, "cron", EVERY).add("zone",
        body.getString("zone", "UTC")).add("jitter_seconds", body.getInt("jitter_seconds", 0));
    Members.addGiven(timing, "starts_at", time(body, "starts_at"));
    Members.addGiven(timing, "ends_at", time(body, "ends_at"));
    return timing;
  }

  /** Null when absent or not a time. */
  static Instant time(JsonObject body, String name) {
    return Optional.ofNullable(body.getString(name, null)).flatMap(StorableTime::parse)
        .orElse(null);
  }

  /** A parameter of a query that is a time, or null. */
  static Instant cursor(String value) {
    return value == null ? null
        : Parameters.time(value)
            .orElseThrow(() -> Problem.invalid("cursor", "must be the next of the page before"));
  }
}
