/**
 * Runs steps: keeps available permits busy, calls handlers on managed threads outside any transaction, and hands results back,
 * many at once under load and at once when idle.
 *
 * <p>The way of a step through here: {@link ee.tasker.worker.Worker} gets the claimedStep, {@link ee.tasker.worker.StepRunner}
 * finds its handler in the {@link ee.tasker.worker.HandlerRegistry} and calls it with a {@link ee.tasker.worker.DefaultStepContext},
 * {@link ee.tasker.worker.ResultBatcher} returns the result and brings the next claimedSteps along.
 */
package ee.tasker.worker;
