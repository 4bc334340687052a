package ee.tasker.schedule;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.UUID;

/** Calls the SQL functions for schedules. */
@Dependent
class ScheduleGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ServerIdentity server;

  @Inject
  private ActingCaller caller;

  private void tellCaller() {
    sql.run("begin_action(cast(? as text))", caller.name());
  }

  JsonObject takeDueSchedules(int limit) {
    return sql.object("take_due_schedules(?, p_server_uuid => cast(? as uuid))", limit,
        server.uuid());
  }

  JsonArray takeStalledSchedules(int limit) {
    return sql.array("take_stalled_schedules(?)", limit);
  }

  JsonObject restoreFireTimes(JsonArray plans) {
    return sql.object("restore_fire_times(cast(? as jsonb))", plans);
  }

  JsonObject fireSchedules(JsonArray plans, int claimLimit, long leaseSeconds) {
    return sql.object("fire_schedules(cast(? as jsonb), cast(? as uuid), ?, cast(? as int))", plans,
        server.uuid(), claimLimit, leaseSeconds);
  }

  JsonObject advanceBackfills(JsonArray plans, int claimLimit, long leaseSeconds) {
    return sql.object("advance_backfills(cast(? as jsonb), cast(? as uuid), ?, cast(? as int))",
        plans, server.uuid(), claimLimit, leaseSeconds);
  }

  JsonObject saveSchedule(JsonObject schedule, String by, String reason, UUID uuid,
      Integer version) {
    tellCaller();
    return sql.object("save_schedule(cast(? as jsonb), ?, ?, cast(? as uuid), cast(? as int))",
        schedule, by, reason, uuid,
        version);
  }

  JsonObject changeSchedule(UUID uuid, String action, String by, String reason, JsonObject data) {
    tellCaller();
    return sql.object("change_schedule(cast(? as uuid), ?, ?, ?, cast(? as jsonb))", uuid, action,
        by, reason, data);
  }

  JsonObject declineSchedules(JsonArray declines) {
    return sql.object("decline_schedules(cast(? as jsonb), cast(? as uuid))", declines,
        server.uuid());
  }

  JsonObject triggerSchedule(UUID uuid, String by, String reason, JsonObject plan) {
    tellCaller();
    return sql.object("trigger_schedule(cast(? as uuid), ?, ?, cast(? as jsonb), cast(? as uuid))",
        uuid, by, reason, plan, server.uuid());
  }

  JsonObject startBackfill(UUID uuid, Instant from, Instant to, String overlap, String by,
      String reason) {
    tellCaller();
    return sql.object(
        "start_backfill(cast(? as uuid), cast(? as timestamptz), cast(? as timestamptz), ?, ?, ?)",
        uuid, from.toString(), to.toString(), overlap, by, reason);
  }

  JsonObject getScheduleDocuments(JsonObject filter, int limit, UUID before) {
    return sql.answer("get_schedule_documents(cast(? as jsonb), ?, cast(? as uuid))", filter, limit,
        before).asJsonObject();
  }

  JsonObject listScheduleFires(UUID uuid, JsonObject filter, int limit, Instant before) {
    return sql
        .answer("list_schedule_fires(cast(? as uuid), cast(? as jsonb), ?, cast(? as timestamptz))",
            uuid, filter, limit, before == null ? null : before.toString())
        .asJsonObject();
  }

  JsonArray getBackfillDocuments(UUID uuid) {
    return sql.answer("get_backfill_documents(cast(? as uuid))", uuid).asJsonArray();
  }

  /** Whether and which of some fire times have a task. */
  JsonArray findStartedFires(UUID uuid, JsonArray times) {
    return sql.array("find_started_fires(cast(? as uuid), cast(? as jsonb))", uuid, times);
  }
}
