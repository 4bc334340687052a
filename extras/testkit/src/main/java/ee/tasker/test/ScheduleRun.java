package ee.tasker.test;

import ee.tasker.platform.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A schedule of a test. It fires when the clock is moved; what it answers is read from the database
 * each time.
 */
public final class ScheduleRun {
  private static final Set<String> OPTIONS = Set.of("tags", "priority", "source_system");
  private static final Set<String> MEMBERS = Set.of("namespace", "name", "template_version",
      "context", "time_member", "cron",
      "every_seconds",
      "zone", "starts_at", "ends_at", "jitter_seconds", "overlap", "catch_up", "catch_up_seconds",
      "pause_after_failures");

  private final Tasker tasker;
  private final UUID uuid;

  /**
   * What became of a fire time.
   *
   * @param outcome {@code started}, {@code queued}, {@code skipped}, {@code missed} or {@code
   *   failed}, as SQL and REST spell it
   * @param reason  why no task was started; empty when one was
   * @param task    the task of the fire time, if it was started
   */
  public record Fire(Instant at, String outcome, Optional<String> reason, Optional<TaskRun> task) {
  }

  ScheduleRun(Tasker tasker, UUID uuid) {
    this.tasker = tasker;
    this.uuid = uuid;
  }

  /** The members of a request under the names of the database, with the defaults of REST. */
  static JsonObject members(JsonObject request) {
    JsonObjectBuilder schedule = Json.build().createObjectBuilder()
        .add("context", JsonValue.EMPTY_JSON_OBJECT).add("zone", "UTC")
        .add("jitter_seconds", 0).add("overlap", "skip").add("catch_up", "last")
        .add("catch_up_seconds", 86_400)
        .add("pause_after_failures", 10);
    JsonObjectBuilder options = Json.build().createObjectBuilder();
    request.forEach((member, value) -> {
      if (OPTIONS.contains(member)) {
        options.add(member, value);
      } else if (member.equals("template")) {
        schedule.add("template_name", value);
      } else if (MEMBERS.contains(member)) {
        schedule.add(member, value);
      } else {
        throw new IllegalArgumentException("a schedule has no member " + member);
      }
    });
    for (String member : List.of("namespace", "name", "template")) {
      if (!request.containsKey(member)) {
        throw new IllegalArgumentException("a schedule needs the member " + member);
      }
    }
    if (request.containsKey("cron") == request.containsKey("every_seconds")) {
      throw new IllegalArgumentException("a schedule needs either cron or every_seconds");
    }
    return schedule.add("options", options).build();
  }

  public UUID uuid() {
    return uuid;
  }

  /**
   * The fire times that were decided, in their order. One that stands for a range of missed fire
   * times is its first.
   */
  public List<Fire> fires() {
    return tasker.sql().array(
        "select coalesce(jsonb_agg(jsonb_build_object('at', f.fire_at, 'outcome', f.outcome, 'reason', f.reason, 'task_uuid', f.task_uuid, "
            + "'namespace', ns.name, 'name', nt.name, 'version', nt.version) order by f.fire_at, f.is_range), '[]') "
            + "from tasker.schedule_fires f left join tasker.tasks t on t.task_uuid = f.task_uuid "
            + "left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid "
            + "left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid where f.schedule_uuid = ?",
        uuid).getValuesAs(JsonObject.class).stream()
        .map(row -> new Fire(OffsetDateTime.parse(row.getString("at")).toInstant(),
            row.getString("outcome"), Json.text(row, "reason"),
            Json.text(row, "task_uuid")
                .map(task -> new TaskRun(tasker,
                    tasker.workflow(row.getString("namespace"), row.getString("name"),
                        row.getString("version")),
                    UUID.fromString(task), false))))
        .toList();
  }

  /** The tasks that it has submitted, in the order of their fire times. */
  public List<TaskRun> tasks() {
    return fires().stream().flatMap(fire -> fire.task().stream()).toList();
  }

  /** The fire time that is decided next; empty when there is none any more. */
  public Optional<Instant> nextFireTime() {
    return Optional.ofNullable(tasker.sql()
        .instant("select s.next_fire_at from tasker.schedules s where s.schedule_uuid = ?", uuid));
  }

  /** Whether it has paused itself after failures in a row, or a test has paused it. */
  public boolean isPaused() {
    return tasker.sql().flag(
        "select s.paused_at is not null from tasker.schedules s where s.schedule_uuid = ?", uuid);
  }

  public ScheduleRun pause(String reason) {
    JsonObject reply = tasker.sql().object(
        "select tasker.change_schedule(?, 'pause', 'test', ?, '{}', ?)", uuid, reason,
        tasker.now());
    if ("refused".equals(reply.getString("outcome"))) {
      throw new IllegalStateException("refused: " + reply.getString("message"));
    }
    return this;
  }
}
