/**
 * Runs steps: calls handlers on managed threads outside any transaction, and submits their results,
 * in batches under load
 * and at once when idle.
 *
 * <p>The path of a step: {@code dispatch} passes it to {@link ee.tasker.worker.Worker}, {@link
 * ee.tasker.worker.StepRunner}
 * finds its handler in the {@link ee.tasker.worker.HandlerRegistry} and calls it with a {@link
 * ee.tasker.worker.DefaultStepContext}, {@link ee.tasker.worker.ResultBatcher} submits the result,
 * and the same call claims
 * the next steps.
 */
package ee.tasker.worker;
