package ee.tasker.samples.customersuccess;

import jakarta.json.JsonObject;
import java.util.UUID;

/** Starts the payments team's refund as a task of its own. */
public interface RefundStarter {

  /**
   * @param correlationId of the calling task; the new task carries it as its parent's
   * @param idempotencyKey a second call with the same key starts nothing and returns the first
   *   call's task
   */
  StartedRefund start(JsonObject context, UUID correlationId, String idempotencyKey);

  /** @param isDuplicate whether an earlier call had started it */
  record StartedRefund(UUID taskUuid, boolean isDuplicate) {
  }
}
