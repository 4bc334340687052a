/**
 * Brings claimed steps to the worker: counts how many more this server may claim ({@link
 * ee.tasker.dispatch.Permits}),
 * tracks the steps that it holds ({@link ee.tasker.dispatch.RunningSteps}), and defines the
 * protocol of every call that
 * claims ({@link ee.tasker.dispatch.ClaimProtocol}): reserve permits, call, notify the components
 * that the reply concerns,
 * release unused permits, pass the claimed steps to the worker, and after a lost reply release the
 * steps that this server
 * does not know ({@link ee.tasker.dispatch.OrphanedClaims}).
 *
 * <p>It runs no handlers: claimed steps go to the {@link ee.tasker.dispatch.StepReceiver}, which
 * {@code worker} implements.
 * {@code task} and {@code orchestration} call it through {@link ee.tasker.message.StepDispatcher}.
 */
package ee.tasker.dispatch;
