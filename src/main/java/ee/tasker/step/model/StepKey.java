package ee.tasker.step.model;

import java.util.UUID;

/** One attempt of one step: what a handoff hands over, and what every call about it has to name. */
public record StepKey(UUID taskUuid, UUID stepUuid, int attempt) {
}
