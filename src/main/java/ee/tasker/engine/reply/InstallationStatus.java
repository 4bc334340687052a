package ee.tasker.engine.reply;

import jakarta.json.JsonObject;

/**
 * Reply of {@code tasker.get_installation_status}.
 *
 * @param schemaVersion {@code none} without a schema
 * @param isReadOnly    a standby, or a primary that was demoted
 * @param servers       how many servers are alive
 * @param unservedSteps offers whose handler no live worker has
 * @param failingSchedules schedules whose latest fire times failed
 * @param schedulesOverdueSeconds for how long the fire time that is due longest has waited for a
 *   server
 */
public record InstallationStatus(String schemaVersion, boolean isReadOnly, int servers,
    long unservedSteps, long failingSchedules, long schedulesOverdueSeconds) {

  public static InstallationStatus of(JsonObject reply) {
    return new InstallationStatus(reply.getString("schema_version", "none"),
        reply.getBoolean("read_only"), reply.getInt(ReplyKeys.SERVERS),
        reply.getJsonNumber("unserved_steps").longValue(),
        reply.getJsonNumber("failing_schedules").longValue(),
        reply.getJsonNumber("schedules_overdue_seconds").longValue());
  }
}
