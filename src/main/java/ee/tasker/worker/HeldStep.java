package ee.tasker.worker;

import ee.tasker.dispatch.RunningStep;
import ee.tasker.step.model.StepKey;
import java.time.Duration;
import java.util.UUID;

/** A step that this server has claimed and not submitted. */
public record HeldStep(UUID taskUuid, UUID stepUuid, int attempt, Duration held) {

  static HeldStep of(RunningStep step) {
    StepKey key = step.claimedStep().key();
    return new HeldStep(key.taskUuid(), key.stepUuid(), step.claimedStep().attempt(),
        Duration.ofNanos(step.ageNanos()));
  }
}
