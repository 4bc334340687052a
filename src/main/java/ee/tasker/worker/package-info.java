/**
 * Runs steps: keeps free hands busy, calls handlers on managed threads outside any transaction, and hands results back,
 * many at once under load and at once when idle.
 *
 * <p>The way of a step through here: {@link ee.tasker.worker.Worker} gets the assignment, {@link ee.tasker.worker.StepRunner}
 * finds its handler in the {@link ee.tasker.worker.HandlerRegistry} and calls it with a {@link ee.tasker.worker.StepView},
 * {@link ee.tasker.worker.Handbacks} returns the result and brings the next assignments along.
 */
package ee.tasker.worker;
