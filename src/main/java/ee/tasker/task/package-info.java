/**
 * Tasks: taking them in, finding them, cancelling them, and waiting for their end.
 *
 * <p>{@link ee.tasker.task.TaskSubmissions} is the door for Java code and joins the caller's JTA transaction.
 * {@link ee.tasker.task.SubmissionBatcher} takes requests that stand alone, as REST brings them, and commits many at once.
 * {@link ee.tasker.task.Tasks} reads and cancels. Readiness and steps belong to {@code step}; how a template looks to
 * {@code template}.
 */
package ee.tasker.task;
