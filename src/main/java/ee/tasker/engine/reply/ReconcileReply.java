package ee.tasker.engine.reply;

import jakarta.json.JsonObject;

/**
 * Reply of {@code tasker.reconcile_tasks}.
 *
 * @param deadLetters dead letters that were missing
 * @param wakeups     wake-ups that were missing or too late
 */
public record ReconcileReply(int deadLetters, int wakeups) {

  public static ReconcileReply of(JsonObject reply) {
    return new ReconcileReply(reply.getInt("dead_letters"),
        reply.getInt("wakeups") + reply.getInt("moved_wakeups"));
  }

  public boolean hasRestored() {
    return deadLetters + wakeups > 0;
  }
}
