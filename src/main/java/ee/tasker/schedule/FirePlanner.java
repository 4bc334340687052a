package ee.tasker.schedule;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.task.RequestCheck;
import ee.tasker.task.TaskRequest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Calculates what {@code tasker.fire_schedules} and {@code tasker.advance_backfills} decide about: which fire time is next, which were missed, and
 * which version of the template fits the context. Decides nothing itself.
 */
@ApplicationScoped
class FirePlanner {
  /** How many missed fire times are counted. */
  private static final int MOST_COUNTED = 1_000;
  private static final int BACKFILLED_AT_ONCE = 100;

  private final RequestCheck check;

  /** For the proxy. */
  FirePlanner() {
    this(null);
  }

  @Inject
  FirePlanner(RequestCheck check) {
    this.check = check;
  }

  /** The plans of one round: it asks once for the latest version of a template. */
  final class Round {
    private final Instant now;
    private final Map<String, TaskRequest> latest = new HashMap<>();

    private Round(Instant now) {
      this.now = now;
    }

    JsonObject schedule(JsonObject schedule) {
      Optional<Instant> expected = Timings.instant(schedule, "next_fire_at");
      JsonObjectBuilder plan = Json.build().createObjectBuilder()
          .add("schedule_uuid", schedule.get("schedule_uuid")).add("version", schedule.get("version"))
          .add("expected_fire_at", schedule.get("next_fire_at"));
      boolean isDue = Timings.instant(schedule, "next_due_at").filter(due -> !due.isAfter(now)).isPresent();
      if (isDue) {
        addFires(plan, schedule, Timings.of(schedule), expected.orElseThrow());
      }
      Timings.instant(schedule, "queued_fire_at").or(() -> expected).ifPresent(time -> addTemplate(plan, schedule, time));
      return plan.build();
    }

    private void addFires(JsonObjectBuilder plan, JsonObject schedule, Timing timing, Instant expected) {
      Instant window = now.minusSeconds(schedule.getInt("catch_up_seconds"));
      Optional<Instant> first = expected.isBefore(window) ? timing.next(window.minusNanos(1)) : Optional.of(expected);
      // The database has calculated jitter with the timing of that moment: what is due by it is due.
      Optional<Instant> fire = first.filter(time -> time.equals(expected) || !timing.due(time).isAfter(now));
      if (fire.isPresent() && "last".equals(schedule.getString("catch_up"))) {
        fire = timing.latestDue(fire.get(), now).or(() -> first);
      }
      if (fire.isPresent()) {
        plan.add("fire_at", fire.get().toString());
        plan.add("due_at", (fire.get().equals(expected) ? expected : timing.due(fire.get())).toString());
      }
      Optional<Instant> following = fire.isPresent() ? timing.next(fire.get()) : first;
      following.ifPresent(next -> plan.add("next_fire_at", next.toString()).add("next_due_at", timing.due(next).toString()));
      if (fire.isEmpty() || fire.get().isAfter(expected)) {
        plan.add("missed",
            missed(timing, expected, fire.or(() -> following).orElse(now), expected.isBefore(window) ? "window" : "catch_up"));
      }
    }

    private void addTemplate(JsonObjectBuilder plan, JsonObject schedule, Instant fire) {
      try {
        plan.add("template_version", version(schedule, fire));
      } catch (Problem problem) {
        plan.add("problem", Json.build().createObjectBuilder().add("code", problem.code()).add("message", problem.getMessage()));
      }
    }

    /** @throws Problem when the template or the context cannot be used now */
    private String version(JsonObject schedule, Instant fire) {
      String namespace = schedule.getString("namespace");
      String template = schedule.getString("template_name");
      TaskRequest request = Json.text(schedule, "template_version").map(version -> TaskRequest.of(namespace, template, version))
          .orElse(null);
      if (request == null) {
        request = latest.get(namespace + "/" + template);
        if (request == null) {
          request = check.complete(TaskRequest.of(namespace, template));
          latest.put(namespace + "/" + template, request);
        }
      }
      TaskRequest complete = request.context(context(schedule, fire));
      check.check(complete);
      return complete.template().orElseThrow().version();
    }

    JsonObject backfill(JsonObject backfill) {
      Timing timing = Timings.of(backfill);
      Instant cursor = Timings.instant(backfill.getString("cursor_at"));
      Instant end = Timings.instant(backfill.getString("to_at"));
      int most = "one_by_one".equals(backfill.getString("overlap")) ? 1 : BACKFILLED_AT_ONCE;
      JsonArrayBuilder fires = Json.build().createArrayBuilder();
      Optional<Instant> time = timing.next(cursor).filter(next -> next.isBefore(end));
      Instant last = end;
      for (int n = 0; n < most && time.isPresent(); n++) {
        last = time.get();
        fires.add(last.toString());
        time = timing.next(last).filter(next -> next.isBefore(end));
      }
      JsonObjectBuilder plan = Json.build().createObjectBuilder()
          .add("backfill_uuid", backfill.get("backfill_uuid")).add("version", backfill.get("version"))
          .add("cursor_at", backfill.get("cursor_at"))
          .add("fires", fires).add("next_cursor_at", (time.isPresent() ? last : end).toString()).add("is_last", time.isEmpty());
      addTemplate(plan, backfill, last);
      return plan.build();
    }
  }

  Round at(Instant now) {
    return new Round(now);
  }

  /**
   * What a fire of a schedule by hand needs, or would be refused for.
   *
   * @throws Problem when the template or the context cannot be used
   */
  String version(JsonObject schedule, Instant fire) {
    return at(fire).version(schedule, fire);
  }

  private static JsonObject context(JsonObject schedule, Instant fire) {
    JsonObject context = schedule.getJsonObject("context");
    return Json.text(schedule, "time_member")
        .map(member -> Json.build().createObjectBuilder(context).add(member, fire.toString()).build()).orElse(context);
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
    JsonObjectBuilder range = Json.build().createObjectBuilder().add("from_at", first.toString()).add("reason", reason)
        .add("until_at", (next.isPresent() ? before.minusMillis(1) : last).toString());
    return next.isPresent() ? range : range.add("count", count);
  }

  static List<String> upcoming(Timing timing, Instant after, int count) {
    List<String> times = new java.util.ArrayList<>();
    for (Optional<Instant> next = timing.next(after); next.isPresent() && times.size() < count; next = timing.next(next.get())) {
      times.add(next.get().toString());
    }
    return times;
  }

  static JsonArray array(List<String> texts) {
    return Json.build().createArrayBuilder(texts).build();
  }
}
