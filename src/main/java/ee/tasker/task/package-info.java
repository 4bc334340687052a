/**
 * Tasks: submits, finds and cancels them, and waits for their end.
 *
 * <p>{@link ee.tasker.task.TaskSubmissions} is the entry for Java code and joins the caller's JTA
 * transaction. {@link
 * ee.tasker.task.SubmissionBatcher} batches independent requests, such as those of REST, into one
 * commit. {@link
 * ee.tasker.task.Tasks} reads and cancels. Readiness and steps belong to {@code step}, templates to
 * {@code template}.
 */
package ee.tasker.task;
