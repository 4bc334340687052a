/**
 * Runs steps: calls handlers on managed threads outside any transaction, and submits their results, many at once under load and at
 * once when idle.
 *
 * <p>The way of a step through here: {@link ee.tasker.worker.Worker} is given it by {@code dispatch}, {@link ee.tasker.worker.StepRunner}
 * finds its handler in the {@link ee.tasker.worker.HandlerRegistry} and calls it with a {@link ee.tasker.worker.DefaultStepContext},
 * {@link ee.tasker.worker.ResultBatcher} submits the result, and the same call claims the next steps.
 */
package ee.tasker.worker;
