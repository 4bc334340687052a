package ee.tasker.task;

import java.util.UUID;

/**
 * A task that is there now.
 *
 * @param isDuplicate whether it was there before, by its identity; then nothing was created
 */
public record SubmittedTask(UUID taskUuid, String state, UUID correlationId, boolean isDuplicate) {
}
