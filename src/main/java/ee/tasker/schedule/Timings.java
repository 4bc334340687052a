package ee.tasker.schedule;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Problem.Violation;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the timing of a schedule from its document. */
final class Timings {
  private Timings() {
  }

  /** @throws Problem 400 with one violation for each wrong member */
  static Timing of(JsonObject schedule) {
    List<Violation> violations = new ArrayList<>();
    CronExpression cron = null;
    Optional<String> expression = Json.text(schedule, "cron");
    if (expression.isPresent()) {
      try {
        cron = CronExpression.parse(expression.get());
      } catch (IllegalArgumentException e) {
        violations.add(new Violation("cron", "is no cron expression: " + e.getMessage()));
      }
    }
    ZoneId zone = null;
    String name = schedule.getString("zone");
    // Not an offset, which is no zone, nor an abbreviation.
    if (ZoneId.getAvailableZoneIds().contains(name)) {
      zone = ZoneId.of(name);
    } else {
      violations.add(new Violation("zone",
          "must be a time zone of the IANA database, for example Europe/Berlin or UTC, not \""
              + name + "\""));
    }
    if (!violations.isEmpty()) {
      throw Problem.invalid(violations);
    }
    Duration every = schedule.get("every_seconds") instanceof JsonNumber seconds
        ? Duration.ofSeconds(seconds.longValue()) : null;
    String seed = schedule.getString("namespace") + "/" + schedule.getString("name");
    return new Timing(cron, every, zone, instant(schedule, "anchor_at").orElseThrow(),
        instant(schedule, "starts_at").orElse(null), instant(schedule, "ends_at").orElse(null),
        Duration.ofSeconds(schedule.getInt("jitter_seconds", 0)),
        // The same in every JVM.
        seed.hashCode());
  }

  /**
   * Reads the timing of a schedule that was saved, perhaps by a server with newer zone rules.
   *
   * @throws Problem 409 unusable-timing when this JVM cannot use it
   */
  static Timing ofSaved(JsonObject schedule) {
    try {
      return of(schedule);
    } catch (Problem unusable) {
      throw Problem.of(409, "unusable-timing",
          "the JVM of this server cannot use the timing of the schedule: " + unusable.getMessage());
    }
  }

  static Optional<Instant> instant(JsonObject document, String member) {
    return Json.text(document, member).map(Timings::instant);
  }

  static Instant instant(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalStateException("not an instant of the database: " + text, e);
    }
  }
}
