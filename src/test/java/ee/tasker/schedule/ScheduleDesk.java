package ee.tasker.schedule;

import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.task.RequestCheck;
import ee.tasker.task.TaskRequest;
import ee.tasker.testing.Sql;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A server's part of schedules without a server: plans as it makes them, with the time that the
 * test gives.
 */
final class ScheduleDesk {
  /** The check of requests, which asks the database whether there is the template. */
  private static final class Check extends RequestCheck {
    private final Sql sql;

    Check(Sql sql) {
      this.sql = sql;
    }

    @Override
    public TaskRequest complete(TaskRequest request) {
      String version = sql.text("select tasker.get_latest_version(?, ?)", request.namespace(),
          request.name());
      if (version == null) {
        throw Problem.of(404, "unknown-template",
            "there is no template " + request.namespace() + "/" + request.name());
      }
      return TaskRequest.of(request.namespace(), request.name(), version);
    }

    @Override
    public Checked check(TaskRequest request) {
      if (request.context().containsKey("wrong")) {
        throw Problem.of(400, "invalid-context", "context/wrong: is wrong");
      }
      return null;
    }
  }

  private final Sql sql;
  private final FirePlanner planner;

  ScheduleDesk(Sql sql) {
    this.sql = sql;
    planner = new FirePlanner(new Check(sql));
  }

  /**
   * Creates a schedule of the template as of an instant; more members in JSON overwrite the
   * defaults.
   */
  UUID create(String namespace, String template, String members, Instant now) {
    JsonObjectBuilder schedule = Json.build().createObjectBuilder()
        .add("namespace", namespace).add("name", "nightly").add("template_name", template)
        .add("zone", "UTC").add("jitter_seconds", 0)
        .add("context", Json.build().createObjectBuilder()).add("overlap", "skip")
        .add("catch_up", "last").add("catch_up_seconds", 86_400)
        .add("pause_after_failures", 10).add("anchor_at", now.toString());
    schedule.addAll(Json.build().createObjectBuilder(Json.parseObject(members)));
    JsonObject whole = schedule.build();
    Timing timing = Timings.of(whole);
    Instant first = timing.next(now).orElseThrow();
    JsonObject timed = Json.build().createObjectBuilder(whole).add("next_fire_at", first.toString())
        .add("next_due_at", timing.due(first).toString()).build();
    return UUID.fromString(
        sql.object("select tasker.save_schedule(?::jsonb, 'ann', 'test', null, null, ?)",
            timed.toString(), now)
            .getString("schedule_uuid"));
  }

  JsonObject taken(Instant now, int limit) {
    return sql.object("select tasker.take_due_schedules(?, ?)", limit, now);
  }

  JsonObject plans(JsonObject taken, String what) {
    FirePlanner.Round round = planner.at(Timings.instant(taken.getString("now")));
    JsonArrayBuilder plans = Json.build().createArrayBuilder();
    taken.getJsonArray(what).getValuesAs(JsonObject.class)
        .forEach(each -> plans
            .add("schedules".equals(what) ? round.schedule(each) : round.backfill(each)));
    return Json.build().createObjectBuilder().add("plans", plans).build();
  }

  JsonObject fire(JsonObject plans, Instant now) {
    return sql.object("select tasker.fire_schedules(?::jsonb, p_now => ?)",
        plans.getJsonArray("plans").toString(), now);
  }

  JsonObject advance(JsonObject plans, Instant now) {
    return sql.object("select tasker.advance_backfills(?::jsonb, p_now => ?)",
        plans.getJsonArray("plans").toString(), now);
  }

  /** All that is due, as the loop of a server does it; returns how many rounds it took. */
  int run(Instant now) {
    for (int rounds = 0; rounds < 1_000; rounds++) {
      JsonObject taken = taken(now, 100);
      int done = fire(plans(taken, "schedules"), now).getInt("tasks")
          + advance(plans(taken, "backfills"), now).getInt("tasks");
      if (done == 0) {
        return rounds;
      }
    }
    throw new AssertionError("the schedules never came to rest");
  }

  /**
   * As the poller of a server does it; returns how many schedules got their next fire time back.
   */
  int restore(Instant now) {
    JsonArrayBuilder plans = Json.build().createArrayBuilder();
    Json.parseArray(sql.text("select tasker.take_stalled_schedules(p_now => ?)", now))
        .getValuesAs(JsonObject.class)
        .forEach(stalled -> FirePlan.restored(stalled).ifPresent(plans::add));
    return sql.object("select tasker.restore_fire_times(?::jsonb)", plans.build().toString())
        .getInt("schedules");
  }

  List<String> fires(UUID schedule) {
    return sql.texts(
        "select concat_ws(' ', to_char(fire_at at time zone 'UTC', 'MM-DD HH24:MI:SS'), origin, outcome, reason, fire_count) "
            + "from tasker.schedule_fires where schedule_uuid = ? order by fire_at, is_range desc",
        schedule);
  }
}
