package ee.tasker.schedule;

import ee.tasker.engine.reply.ActionReply;
import ee.tasker.engine.reply.RoundReply;
import ee.tasker.message.WorkNotifier;
import ee.tasker.platform.AfterCommit;
import ee.tasker.platform.Author;
import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.template.ValidationTime;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/** The component's facade: fires schedules, and reads and changes them. Thread-safe. */
@ApplicationScoped
@Transactional
public class Schedules {
  private static final Log LOG = Log.of(Schedules.class);
  private static final int MOST_FIRES_OF_A_BACKFILL = 100_000;
  private static final int MOST_SHOWN = 1_000;
  private static final int STALLED_AT_ONCE = 100;
  /** The reason of a fire time that failed so; no request is answered with it. */
  private static final String GIVEN_UP = "cannot-be-processed";

  @Inject
  private ScheduleGateway gateway;

  @Inject
  private FirePlanner planner;

  @Inject
  private Settings settings;

  @Inject
  private WorkNotifier workNotifier;

  @Inject
  private AfterCommit afterCommit;

  /**
   * One round of the orchestrator: decides the next fire time of up to {@code limit} schedules, and
   * the next ones of as many backfills, in one transaction with the tasks that it submits. With a
   * limit of one, a backfill's turn comes when no schedule is due.
   */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public RoundReply fireDue(int limit, int claimLimit) {
    JsonObject due = gateway.takeDueSchedules(limit);
    return decide(due, limit, claimLimit, planner.at(Timings.instant(due.getString("now"))));
  }

  /**
   * After the database gave up a round for one schedule or backfill: its fire time has failed.
   *
   * @return which it was; empty when there was none
   */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public Optional<String> failFirst(Throwable fault) {
    JsonObject due = gateway.takeDueSchedules(1);
    Problem problem = Problem.of(503, GIVEN_UP, DatabaseFaults.message(fault));
    decide(due, 1, 0, planner.failing(Timings.instant(due.getString("now")), problem));
    return Stream.of("schedules", "backfills")
        .flatMap(kind -> due.getJsonArray(kind).getValuesAs(JsonObject.class).stream())
        .findFirst().map(first -> "schedule " + first.getString("schedule_uuid"));
  }

  private RoundReply decide(JsonObject due, int limit, int claimLimit, FirePlanner.Round round) {
    JsonArray schedules = due.getJsonArray("schedules");
    JsonArray backfills = due.getJsonArray("backfills");
    RoundReply reply = RoundReply.ofNothing(due);
    long lease = settings.worker().lease().toSeconds();
    ValidationTime time = ValidationTime.start();
    Declines declines = new Declines();
    if (!schedules.isEmpty()) {
      JsonArray plans = declines.plans(schedules, time, round::schedule);
      reply = reply.and(fired(gateway.fireSchedules(plans, claimLimit, lease)));
    }
    if (!backfills.isEmpty() && (limit > 1 || schedules.isEmpty())) {
      JsonArray plans = declines.plans(backfills, time, round::backfill);
      reply = reply.and(fired(gateway.advanceBackfills(plans,
          Math.max(claimLimit - reply.claimedSteps().size(), 0), lease)));
    }
    if (!declines.isEmpty()) {
      declined(gateway.declineSchedules(declines.array()));
    }
    return reply;
  }

  private void declined(JsonObject reply) {
    for (JsonObject stopped : reply.getJsonArray("stopped").getValuesAs(JsonObject.class)) {
      LOG.write(LogEvent.SCHEDULE_FIRE_FAILED, "schedule", stopped.getString("schedule_uuid"),
          "fire_at", stopped.getString("fire_at", null), "code", "unusable-timing", "detail",
          stopped.getString("message"));
    }
    // A server that can fire the others may have looked while this one held their locks.
    afterCommit.run(workNotifier::orchestrationQueued);
  }

  /**
   * The schedules of one round whose timing this JVM cannot use, such as in a zone that it does not
   * know.
   */
  private static final class Declines {
    private final Map<UUID, JsonObject> bySchedule = new LinkedHashMap<>();

    /** The plans of those that this JVM can use; one that it cannot use holds up no other. */
    JsonArray plans(JsonArray due, ValidationTime time, Function<JsonObject, JsonObject> planner) {
      JsonArrayBuilder plans = Json.build().createArrayBuilder();
      for (JsonObject each : due.getValuesAs(JsonObject.class)) {
        if (time.isUsedUp()) {
          // The others are still due.
          break;
        }
        try {
          plans.add(planner.apply(each));
        } catch (Problem unusable) {
          add(each, unusable);
        }
      }
      return plans.build();
    }

    private void add(JsonObject schedule, Problem unusable) {
      UUID uuid = Json.uuid(schedule, "schedule_uuid");
      JsonObject decline = Json.build().createObjectBuilder().add("schedule_uuid", uuid.toString())
          .add("version", schedule.get("version")).add("message", unusable.getMessage()).build();
      if (bySchedule.put(uuid, decline) == null) {
        LOG.write(LogEvent.SCHEDULE_DECLINED, "schedule", uuid, "detail", unusable.getMessage());
      }
    }

    boolean isEmpty() {
      return bySchedule.isEmpty();
    }

    JsonArray array() {
      JsonArrayBuilder array = Json.build().createArrayBuilder();
      bySchedule.values().forEach(array::add);
      return array.build();
    }
  }

  /**
   * Gives active schedules that have lost their next fire time, by whatever statement, one again:
   * without it they would never fire, and no one would notice.
   *
   * @return how many
   */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public int restoreFireTimes() {
    JsonArrayBuilder plans = Json.build().createArrayBuilder();
    for (JsonObject schedule : gateway.takeStalledSchedules(STALLED_AT_ONCE)
        .getValuesAs(JsonObject.class)) {
      try {
        FirePlan.restored(schedule).ifPresent(plans::add);
      } catch (Problem unusable) {
        LOG.write(LogEvent.SCHEDULE_FIRE_FAILED, "schedule", schedule.getString("schedule_uuid"),
            "code", unusable.code(), "detail", unusable.getMessage());
      }
    }
    JsonArray stalled = plans.build();
    return stalled.isEmpty() ? 0 : gateway.restoreFireTimes(stalled).getInt("schedules");
  }

  private RoundReply fired(JsonObject reply) {
    for (JsonObject fire : reply.getJsonArray("fires").getValuesAs(JsonObject.class)) {
      if ("failed".equals(Refusals.outcome(fire))) {
        LOG.write(LogEvent.SCHEDULE_FIRE_FAILED, "schedule", fire.getString("schedule_uuid"),
            "fire_at", fire.getString("fire_at"), "code", fire.getString("reason"), "detail",
            fire.getString("message", ""));
      }
    }
    if (reply.getInt("cancel_requests") > 0) {
      afterCommit.run(workNotifier::cancelRequested);
    }
    return RoundReply.ofTasks(reply);
  }

  /** @param before null for the first page, otherwise the {@code next} of the page before */
  public JsonObject list(JsonObject filter, int limit, UUID before) {
    return gateway.getScheduleDocuments(filter, limit, before);
  }

  /**
   * The schedule with its next fire times.
   *
   * @throws Problem 404 schedule-not-found
   */
  public JsonObject describe(UUID uuid, int upcoming) {
    JsonObject schedule = find(uuid);
    return Json.build().createObjectBuilder(schedule)
        .add("next_fire_times", FirePlanner.array(upcoming(schedule, upcoming))).build();
  }

  /**
   * The next fire times of a schedule that is not saved yet, as texts.
   *
   * @param timing its members cron or every_seconds, zone, starts_at and ends_at
   * @throws Problem 400 when a member is wrong
   */
  public JsonArray upcomingOf(JsonObject timing, int count) {
    Instant now = Timings.instant(gateway.takeDueSchedules(0).getString("now"));
    JsonObject whole = Json.build().createObjectBuilder(timing).add("namespace", "").add("name", "")
        .add("anchor_at", timing.getString("starts_at", now.toString()))
        .build();
    return FirePlanner.array(FirePlanner.upcoming(Timings.of(whole), now, count));
  }

  /** None for a timing that this JVM cannot use. */
  private static List<String> upcoming(JsonObject schedule, int count) {
    Optional<Instant> next = Timings.instant(schedule, "next_fire_at");
    if (next.isEmpty()) {
      return List.of();
    }
    try {
      return FirePlanner.upcoming(Timings.ofSaved(schedule), next.get().minusNanos(1), count);
    } catch (Problem unusable) {
      return List.of();
    }
  }

  private JsonObject find(UUID uuid) {
    JsonArray found = gateway
        .getScheduleDocuments(
            Json.build().createObjectBuilder().add("schedule_uuid", uuid.toString()).build(), 1,
            null)
        .getJsonArray("schedules");
    if (found.isEmpty()) {
      throw notFound(uuid);
    }
    return found.getJsonObject(0);
  }

  /**
   * @param schedule the members of a schedule that its author sets, each with a value or its
   *   default
   * @return the document of the new schedule
   * @throws Problem 400 when a member is wrong, or the context does not fit the template; 404
   *   unknown-template; 409 schedule-exists
   */
  public JsonObject create(JsonObject schedule, Author author) {
    // Takes none: for the clock of the database.
    Instant now = Timings.instant(gateway.takeDueSchedules(0).getString("now"));
    JsonObject reply = Refusals.check(
        gateway.saveSchedule(prepared(schedule, now), author.by(), author.reason(), null, null),
        () -> Problem.of(404, "unknown-template",
            "there is no template " + schedule.getString("template_name")));
    return changed(Json.uuid(reply, "schedule_uuid"), "create_schedule", author);
  }

  /**
   * @param version that the author saw
   * @throws Problem as {@link #create}; 404 schedule-not-found, 409 schedule-version-changed
   */
  public JsonObject update(UUID uuid, int version, JsonObject schedule, Author author) {
    JsonObject old = find(uuid);
    JsonObject whole = Json.build().createObjectBuilder(schedule)
        .add("namespace", old.get("namespace")).add("name", old.get("name"))
        .build();
    Refusals.check(
        gateway.saveSchedule(prepared(whole, Timings.instant(old.getString("now"))), author.by(),
            author.reason(), uuid, version),
        () -> notFound(uuid));
    return changed(uuid, "update_schedule", author);
  }

  /** Checks a schedule, adds its first fire time after an instant, and seals its context. */
  private JsonObject prepared(JsonObject schedule, Instant now) {
    return planner.sealed(FirePlan.first(schedule, now, planner::version));
  }

  /** @throws Problem 404 schedule-not-found */
  public JsonObject pause(UUID uuid, Author author) {
    change(uuid, "pause", author, JsonValue.EMPTY_JSON_OBJECT);
    return changed(uuid, "pause_schedule", author);
  }

  /**
   * @param catchUp whether the fire times of the pause are made up for, as far as the catch-up of
   *   the schedule allows; otherwise they are recorded as missed
   * @throws Problem 404 schedule-not-found, 409 schedule-version-changed
   */
  public JsonObject resume(UUID uuid, boolean catchUp, Author author) {
    JsonObject schedule = find(uuid);
    Instant now = Timings.instant(schedule.getString("now"));
    Timing timing = Timings.ofSaved(schedule);
    JsonObjectBuilder data = Json.build().createObjectBuilder()
        .add("version", schedule.get("version")).add("catch_up", catchUp);
    Optional<Instant> expected = Timings.instant(schedule, "next_fire_at");
    if (expected.isPresent()) {
      timing.next(now).ifPresent(next -> data.add("next_fire_at", next.toString())
          .add("next_due_at", timing.due(next).toString()));
      if (!expected.get().isAfter(now)) {
        data.addAll(Json.build()
            .createObjectBuilder(FirePlan.missed(timing, expected.get(), now, "paused").build()));
      }
    }
    change(uuid, "resume", author, data.build());
    return changed(uuid, "resume_schedule", author);
  }

  /** @throws Problem 404 schedule-not-found */
  public JsonObject delete(UUID uuid, Author author) {
    JsonObject last = find(uuid);
    change(uuid, "delete", author, JsonValue.EMPTY_JSON_OBJECT);
    log("delete_schedule", uuid, author);
    return last;
  }

  /**
   * Submits a task now.
   *
   * @return its fire
   * @throws Problem 404 schedule-not-found; as for a task request when the template or the context
   *   cannot be used; 409 fire-failed
   */
  public JsonObject trigger(UUID uuid, Author author) {
    JsonObject schedule = find(uuid);
    String version = planner.version(planned(schedule), Timings.instant(schedule.getString("now")));
    JsonObject reply = Refusals.check(
        gateway.triggerSchedule(uuid, author.by(), author.reason(),
            Json.build().createObjectBuilder().add("template_version", version).build()),
        () -> notFound(uuid));
    JsonObject fire = reply.getJsonObject("fire");
    if (!"started".equals(Refusals.outcome(fire))) {
      throw Problem.of(409, "fire-failed", fire.getString("message", "the task was not submitted"));
    }
    ActionReply moved = ActionReply.of(reply);
    log("trigger_schedule", uuid, author);
    afterCommit.run(() -> {
      workNotifier.acted(moved);
      workNotifier.orchestrationQueued();
    });
    return fire;
  }

  /** A document of REST with the names that the database uses for the request of a task. */
  private static JsonObject planned(JsonObject schedule) {
    return Json.build().createObjectBuilder(schedule).add("template_name", schedule.get("template"))
        .build();
  }

  /** @param before null for the first page, otherwise the {@code next} of the page before */
  public JsonObject fires(UUID uuid, JsonObject filter, int limit, Instant before) {
    return gateway.listScheduleFires(uuid, filter, limit, before);
  }

  public JsonArray backfills(UUID uuid) {
    return gateway.getBackfillDocuments(uuid);
  }

  /**
   * What a backfill would do: {@code {count, started, present, fires: [{fire_at, would}]}}, of
   * which the first thousand are listed.
   *
   * @throws Problem 400 when the period is wrong or has too many fire times; 404 schedule-not-found
   */
  public JsonObject previewBackfill(UUID uuid, Instant from, Instant to) {
    JsonObject schedule = find(uuid);
    if (!to.isAfter(from) || to.isAfter(Timings.instant(schedule.getString("now")))) {
      throw Problem.invalid("to", "must be after from and not in the future");
    }
    Timing timing = Timings.ofSaved(schedule);
    JsonArrayBuilder times = Json.build().createArrayBuilder();
    int count = 0;
    for (Optional<Instant> time = timing.next(from.minusNanos(1_000)); time.isPresent()
        && time.get().isBefore(to); time = timing
            .next(time.get())) {
      if (++count > MOST_FIRES_OF_A_BACKFILL) {
        throw Problem.invalid("to",
            "a backfill may have at most " + MOST_FIRES_OF_A_BACKFILL + " fire times");
      }
      times.add(time.get().toString());
    }
    JsonArray all = times.build();
    List<Instant> present = gateway.findStartedFires(uuid, all).getValuesAs(JsonString.class)
        .stream()
        .map(text -> Timings.instant(text.getString())).toList();
    var have = new java.util.HashSet<>(present);
    JsonArrayBuilder fires = Json.build().createArrayBuilder();
    all.getValuesAs(JsonString.class).stream().limit(MOST_SHOWN)
        .forEach(time -> fires.add(Json.build().createObjectBuilder()
            .add("fire_at", time.getString())
            .add("would", have.contains(Instant.parse(time.getString())) ? "pass" : "start")));
    return Json.build().createObjectBuilder().add("count", count)
        .add("start", count - present.size()).add("present", present.size())
        .add("fires", fires).build();
  }

  /**
   * @return the backfill
   * @throws Problem as {@link #previewBackfill}
   */
  public JsonObject startBackfill(UUID uuid, Instant from, Instant to, String overlap,
      Author author) {
    previewBackfill(uuid, from, to);
    JsonObject reply = Refusals.check(
        gateway.startBackfill(uuid, from, to, overlap, author.by(), author.reason()),
        () -> notFound(uuid));
    log("backfill_schedule", uuid, author);
    afterCommit.run(workNotifier::orchestrationQueued);
    return backfill(uuid, Json.uuid(reply, "backfill_uuid"));
  }

  /** @throws Problem 404 backfill-not-found */
  public JsonObject cancelBackfill(UUID uuid, UUID backfill, Author author) {
    Refusals.check(gateway.changeSchedule(uuid, "cancel_backfill", author.by(), author.reason(),
        Json.build().createObjectBuilder().add("backfill_uuid", backfill.toString()).build()),
        () -> backfillNotFound(uuid, backfill));
    log("cancel_backfill", uuid, author);
    return backfill(uuid, backfill);
  }

  private JsonObject backfill(UUID uuid, UUID backfill) {
    return gateway.getBackfillDocuments(uuid).getValuesAs(JsonObject.class).stream()
        .filter(each -> backfill.toString().equals(each.getString("backfill_uuid"))).findFirst()
        .orElseThrow(() -> backfillNotFound(uuid, backfill));
  }

  private void change(UUID uuid, String action, Author author, JsonObject data) {
    Refusals.check(gateway.changeSchedule(uuid, action, author.by(), author.reason(), data),
        () -> notFound(uuid));
  }

  private JsonObject changed(UUID uuid, String action, Author author) {
    log(action, uuid, author);
    afterCommit.run(workNotifier::orchestrationQueued);
    return describe(uuid, 5);
  }

  private static void log(String action, UUID uuid, Author author) {
    LOG.write(LogEvent.OPERATOR_ACTED, "action", action, "schedule", uuid, "by", author.by(),
        "reason", author.reason());
  }

  public static Problem notFound(UUID uuid) {
    return Problem.of(404, "schedule-not-found", "there is no schedule " + uuid);
  }

  private static Problem backfillNotFound(UUID uuid, UUID backfill) {
    return Problem.of(404, "backfill-not-found",
        "there is no backfill " + backfill + " of schedule " + uuid);
  }
}
