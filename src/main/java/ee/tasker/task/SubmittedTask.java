package ee.tasker.task;

import ee.tasker.engine.model.TaskState;
import java.util.Optional;
import java.util.UUID;

/**
 * A task that exists now.
 *
 * @param version     version of its template: the requested one, or the highest release when the
 *   request named none
 * @param isDuplicate whether a task with its identity existed already; then no task was created
 * @param replaces    the ended task whose identity the new one has taken over, as {@code reuse} of
 *   its template allows
 */
public record SubmittedTask(UUID taskUuid, TaskState state, UUID correlationId, String version,
    boolean isDuplicate, Optional<UUID> replaces) {
}
