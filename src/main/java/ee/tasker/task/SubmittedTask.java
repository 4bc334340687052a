package ee.tasker.task;

import java.util.UUID;

/**
 * A task that is there now.
 *
 * @param version     of its template: the one asked for, or the highest release when the request named none
 * @param isDuplicate whether it was there before, by its identity; then nothing was created
 */
public record SubmittedTask(UUID taskUuid, String state, UUID correlationId, String version, boolean isDuplicate) {
}
