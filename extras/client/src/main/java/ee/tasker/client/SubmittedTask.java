package ee.tasker.client;

import java.util.UUID;

/**
 * What became of a submission.
 *
 * @param taskUuid the task
 * @param state its state when the server answered
 * @param version the version of the template that the server chose
 * @param duplicate whether the task existed already, and the request asked for it in this case
 */
public record SubmittedTask(UUID taskUuid, TaskState state, String version, boolean duplicate) {
}
