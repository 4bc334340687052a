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
 * Calculates what {@code tasker.fire_schedules} and {@code tasker.advance_backfills} decide about:
 * which fire time is next, which were missed ({@link FirePlan}), and
 * which version of the template fits the context. Decides nothing itself.
 */
@ApplicationScoped
class FirePlanner {
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
    private final Optional<Problem> problem;
    private final Map<String, TaskRequest> latest = new HashMap<>();

    private Round(Instant now, Optional<Problem> problem) {
      this.now = now;
      this.problem = problem;
    }

    JsonObject schedule(JsonObject schedule) {
      return FirePlan.of(schedule, now, this::version);
    }

    /** @throws Problem when the template or the context cannot be used now */
    private String version(JsonObject schedule, Instant fire) {
      if (problem.isPresent()) {
        throw problem.get();
      }
      String namespace = schedule.getString("namespace");
      String template = schedule.getString("template_name");
      TaskRequest request = Json.text(schedule, "template_version")
          .map(version -> TaskRequest.of(namespace, template, version))
          .orElse(null);
      if (request == null) {
        request = latest.get(namespace + "/" + template);
        if (request == null) {
          request = check.complete(TaskRequest.of(namespace, template));
          latest.put(namespace + "/" + template, request);
        }
      }
      TaskRequest complete = request.context(FirePlan.context(schedule, fire));
      check.check(complete);
      return complete.template().orElseThrow().version();
    }

    JsonObject backfill(JsonObject backfill) {
      Timing timing = Timings.ofSaved(backfill);
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
          .add("backfill_uuid", backfill.get("backfill_uuid"))
          .add("version", backfill.get("version"))
          .add("cursor_at", backfill.get("cursor_at"))
          .add("fires", fires).add("next_cursor_at", (time.isPresent() ? last : end).toString())
          .add("is_last", time.isEmpty());
      FirePlan.addTemplate(plan, backfill, last, this::version);
      return plan.build();
    }
  }

  Round at(Instant now) {
    return new Round(now, Optional.empty());
  }

  /** Plans that submit nothing: each fire time fails with the problem. */
  Round failing(Instant now, Problem problem) {
    return new Round(now, Optional.of(problem));
  }

  /**
   * What a fire of a schedule by hand needs, or would be refused for.
   *
   * @throws Problem when the template or the context cannot be used
   */
  String version(JsonObject schedule, Instant fire) {
    return at(fire).version(schedule, fire);
  }

  /**
   * A schedule that may be stored: what its template seals in the context is sealed.
   *
   * @throws Problem as {@link RequestCheck#sealed}
   */
  JsonObject sealed(JsonObject schedule) {
    String namespace = schedule.getString("namespace");
    String template = schedule.getString("template_name");
    TaskRequest request = check.complete(Json.text(schedule, "template_version")
        .map(version -> TaskRequest.of(namespace, template, version))
        .orElseGet(() -> TaskRequest.of(namespace, template)));
    JsonObject context = check.sealed(request.context(schedule.getJsonObject("context")),
        Json.text(schedule, "time_member"));
    return Json.build().createObjectBuilder(schedule).add("context", context).build();
  }

  static List<String> upcoming(Timing timing, Instant after, int count) {
    List<String> times = new java.util.ArrayList<>();
    for (Optional<Instant> next = timing.next(after); next.isPresent()
        && times.size() < count; next = timing.next(next.get())) {
      times.add(next.get().toString());
    }
    return times;
  }

  static JsonArray array(List<String> texts) {
    return Json.build().createArrayBuilder(texts).build();
  }
}
