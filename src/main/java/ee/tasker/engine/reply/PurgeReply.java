package ee.tasker.engine.reply;

import jakarta.json.JsonObject;

/**
 * Reply of {@code tasker.purge_expired_tasks}.
 *
 * @param hasMore whether more tasks wait to be purged
 */
public record PurgeReply(int purged, boolean hasMore) {

  public static PurgeReply of(JsonObject reply) {
    return new PurgeReply(reply.getInt("purged"), reply.getBoolean("more"));
  }
}
