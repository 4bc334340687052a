package ee.tasker.task;

import ee.tasker.engine.model.TaskState;
import java.util.Optional;
import java.util.UUID;

/**
 * A task that is there now.
 *
 * @param version     of its template: the one asked for, or the highest release when the request named none
 * @param isDuplicate whether it was there before, by its identity; then nothing was created
 * @param replaces    the ended task whose identity the new one has taken over, as {@code reuse} of its template allows
 */
public record SubmittedTask(UUID taskUuid, TaskState state, UUID correlationId, String version, boolean isDuplicate,
    Optional<UUID> replaces) {
}
