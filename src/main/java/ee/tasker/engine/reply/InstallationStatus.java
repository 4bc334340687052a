package ee.tasker.engine.reply;

import jakarta.json.JsonObject;

/**
 * Reply of {@code tasker.get_installation_status}.
 *
 * @param schemaVersion {@code none} without a schema
 * @param isReadOnly    a standby, or a primary that was demoted
 * @param servers       how many servers are alive
 * @param unservedSteps offers whose handler no live worker has
 */
public record InstallationStatus(String schemaVersion, boolean isReadOnly, int servers, long unservedSteps) {

  public static InstallationStatus of(JsonObject reply) {
    return new InstallationStatus(reply.getString("schema_version", "none"), reply.getBoolean("read_only"),
        reply.getInt(ReplyKeys.SERVERS), reply.getJsonNumber("unserved_steps").longValue());
  }
}
