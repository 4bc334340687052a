package ee.tasker.engine.reply;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reply of {@code tasker.heartbeat}.
 *
 * @param lostSteps         steps of this server that a later handoff has taken over, or that have
 *   ended
 * @param isCancelRequested whether a step of this server is asked to stop
 * @param servers           how many servers are alive
 * @param lostServers       servers and external workers that this heartbeat found to be lost
 * @param expiredSteps      how many leases of theirs were ended
 * @param nextSilenceIn     in how long the next server counts as lost unless it is heard before
 * @param hasNewSteps       whether this server may claim other steps than before
 * @param installation      counts the versions that were installed in the database
 */
public record HeartbeatReply(List<UUID> lostSteps, boolean isCancelRequested, int servers,
    List<UUID> lostServers, int expiredSteps, Optional<Duration> nextSilenceIn,
    boolean hasNewSteps, int installation) {

  public static HeartbeatReply of(JsonObject reply) {
    return new HeartbeatReply(uuids(reply.getJsonArray("lost")),
        !reply.getJsonArray("cancel_requested").isEmpty(), reply.getInt(ReplyKeys.SERVERS),
        uuids(reply.getJsonArray("lost_servers")), reply.getInt("expired_steps"),
        ReplyKeys.millis(reply, "next_silence_in_ms"), reply.getBoolean("takes_changed"),
        reply.getInt("installation"));
  }

  private static List<UUID> uuids(JsonArray array) {
    return array.isEmpty() ? List.of()
        : array.getValuesAs(JsonString.class).stream()
            .map(each -> UUID.fromString(each.getString())).toList();
  }
}
