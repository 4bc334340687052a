package ee.tasker.dispatch;

import ee.tasker.engine.reply.ClaimReply;
import ee.tasker.engine.reply.EngineReply;
import ee.tasker.step.ClaimedStep;
import ee.tasker.step.model.StepKey;
import jakarta.json.JsonArray;
import java.util.List;

/**
 * Where claimed steps come from, and go back to when they cannot run here. All calls may throw what
 * the database does.
 */
interface StepSource {

  /** Whether handlers can run. */
  boolean isOpen();

  /** Whether a call may return steps that are in none of this server's queues. */
  boolean isOpenBesideQueues();

  /** How many steps one call claims from the queues at most. */
  int batchSize();

  /** Claims from the queues. */
  ClaimReply claim(int limit);

  /** With their definitions, in the order of the reply. */
  List<ClaimedStep> read(JsonArray claimedSteps);

  /** Offers them again at once. */
  void release(List<StepKey> steps);

  /** Tells others what a call has done. */
  void committed(EngineReply reply);

  /** A call may have claimed steps that are not known here. */
  void claimOutcomeUnknown();
}
