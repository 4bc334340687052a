package ee.tasker.engine.reply;

import jakarta.json.JsonArray;

/** Reply of {@code tasker.claim_steps}. */
public record ClaimReply(JsonArray claimedSteps) implements EngineReply {

  @Override
  public boolean hasMoved() {
    return false;
  }
}
