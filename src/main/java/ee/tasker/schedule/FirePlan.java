package ee.tasker.schedule;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * Which fire time of a schedule is next and which were missed: what {@code tasker.fire_schedules}
 * decides about. It needs nothing but the documents of the database
 * and the zone rules of the JVM, so that the test kit plans like a server.
 */
public final class FirePlan {
  /** How many missed fire times are counted. */
  private static final int MOST_COUNTED = 1_000;

  private FirePlan() {
  }

  /** Chooses the version of a template for a fire time. */
  public interface Versions {
    /** @throws Problem when the template or the context of the schedule cannot be used */
    String version(JsonObject schedule, Instant fire);
  }

  /**
   * @param schedule as {@code take_due_schedules} returns it
   * @return an element of {@code p_plans} of {@code fire_schedules}
   * @throws Problem when this JVM cannot use the timing
   */
  public static JsonObject of(JsonObject schedule, Instant now, Versions versions) {
    Optional<Instant> expected = Timings.instant(schedule, "next_fire_at");
    JsonObjectBuilder plan = Json.build().createObjectBuilder()
        .add("schedule_uuid", schedule.get("schedule_uuid")).add("version", schedule.get("version"))
        .add("expected_fire_at", schedule.get("next_fire_at"));
    boolean isDue = Timings.instant(schedule, "next_due_at").filter(due -> !due.isAfter(now))
        .isPresent();
    if (isDue) {
      addFires(plan, schedule, Timings.ofSaved(schedule), expected.orElseThrow(), now);
    }
    Timings.instant(schedule, "queued_fire_at").or(() -> expected)
        .ifPresent(time -> addTemplate(plan, schedule, time, versions));
    return plan.build();
  }

  /**
   * Checks a new schedule, or one with another timing, and adds its first fire time after an
   * instant.
   *
   * @param schedule its members under the names of {@code save_schedule}, each with a value or its
   *   default
   * @throws Problem when a member is wrong, the schedule would never fire, or the template or the
   *   context cannot be used
   */
  public static JsonObject first(JsonObject schedule, Instant now, Versions versions) {
    Instant anchor = Timings.instant(schedule, "starts_at")
        .orElse(Instant.ofEpochSecond(now.getEpochSecond()));
    JsonObject anchored = Json.build().createObjectBuilder(schedule)
        .add("anchor_at", anchor.toString()).build();
    Timing timing = Timings.of(anchored);
    Instant first = timing.next(now).orElseThrow(
        () -> Problem.invalid(timing.cron() == null ? "ends_at" : "cron",
            "the schedule would never fire: there is no fire time after now"));
    versions.version(anchored, first);
    return Json.build().createObjectBuilder(anchored).add("next_fire_at", first.toString())
        .add("next_due_at", timing.due(first).toString())
        .build();
  }

  /**
   * The next fire time of a schedule that has lost it.
   *
   * @param schedule as {@code take_stalled_schedules} returns it
   * @return an element of {@code p_plans} of {@code restore_fire_times}; empty for a schedule that
   *   is over
   * @throws Problem when this JVM cannot use the timing
   */
  public static Optional<JsonObject> restored(JsonObject schedule) {
    Timing timing = Timings.of(schedule);
    return timing.next(Timings.instant(schedule, "decided_until").orElseThrow())
        .map(next -> Json.build().createObjectBuilder()
            .add("schedule_uuid", schedule.get("schedule_uuid"))
            .add("version", schedule.get("version"))
            .add("next_fire_at", next.toString()).add("next_due_at", timing.due(next).toString())
            .build());
  }

  /** The context of the task of a fire time. */
  public static JsonObject context(JsonObject schedule, Instant fire) {
    JsonObject context = schedule.getJsonObject("context");
    return Json.text(schedule, "time_member")
        .map(member -> Json.build().createObjectBuilder(context).add(member, fire.toString())
            .build())
        .orElse(context);
  }

  private static void addFires(JsonObjectBuilder plan, JsonObject schedule, Timing timing,
      Instant expected, Instant now) {
    Instant window = now.minusSeconds(schedule.getInt("catch_up_seconds"));
    // By when it was due: jitter may be longer than the window.
    boolean isLate = Timings.instant(schedule, "next_due_at").orElse(expected).isBefore(window);
    Optional<Instant> first = isLate ? timing.next(window.minusNanos(1)) : Optional.of(expected);
    // The database has calculated jitter with the timing of that moment: what is due by it is due.
    Optional<Instant> fire = first
        .filter(time -> time.equals(expected) || !timing.due(time).isAfter(now));
    if (fire.isPresent() && "last".equals(schedule.getString("catch_up"))) {
      fire = timing.latestDue(fire.get(), now).or(() -> first);
    }
    if (fire.isPresent()) {
      plan.add("fire_at", fire.get().toString());
      plan.add("due_at",
          (fire.get().equals(expected) ? expected : timing.due(fire.get())).toString());
    }
    Optional<Instant> following = fire.isPresent() ? timing.next(fire.get()) : first;
    following.ifPresent(next -> plan.add("next_fire_at", next.toString()).add("next_due_at",
        timing.due(next).toString()));
    if (fire.isEmpty() || fire.get().isAfter(expected)) {
      plan.add("missed",
          missed(timing, expected, fire.or(() -> following).orElse(now),
              isLate ? "window" : "catch_up"));
    }
  }

  static void addTemplate(JsonObjectBuilder plan, JsonObject schedule, Instant fire,
      Versions versions) {
    try {
      plan.add("template_version", versions.version(schedule, fire));
    } catch (Problem problem) {
      plan.add("problem", Json.build().createObjectBuilder().add("code", problem.code())
          .add("message", problem.getMessage()));
    }
  }

  /** The fire times from the first on and before an instant, as one range. */
  static JsonObjectBuilder missed(Timing timing, Instant first, Instant before, String reason) {
    int count = 1;
    Instant last = first;
    Optional<Instant> next = timing.next(first).filter(time -> time.isBefore(before));
    while (next.isPresent() && count < MOST_COUNTED) {
      count++;
      last = next.get();
      next = timing.next(last).filter(time -> time.isBefore(before));
    }
    JsonObjectBuilder range = Json.build().createObjectBuilder().add("from_at", first.toString())
        .add("reason", reason)
        .add("until_at", (next.isPresent() ? before.minusMillis(1) : last).toString());
    return next.isPresent() ? range : range.add("count", count);
  }
}
