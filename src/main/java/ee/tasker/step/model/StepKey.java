package ee.tasker.step.model;

import java.util.UUID;

/**
 * One handoff of one step: what every call about it has to name, and what fences the calls of
 * earlier ones.
 */
public record StepKey(UUID taskUuid, UUID stepUuid, int handoff) {
}
