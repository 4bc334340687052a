/**
 * Brings claimed steps to the worker: how many more this server may claim ({@link ee.tasker.dispatch.Permits}), which it is at
 * ({@link ee.tasker.dispatch.RunningSteps}), and the one way in which any call claims some ({@link ee.tasker.dispatch.ClaimProtocol}): reserve
 * permits, call, tell whom the reply concerns, release what was not used, hand over what was claimed, and after a lost answer have the
 * database give back what this server does not know of ({@link ee.tasker.dispatch.OrphanedClaims}).
 *
 * <p>It runs no handlers: what it claims goes to the {@link ee.tasker.dispatch.StepReceiver}, which {@code worker} implements.
 * {@code task} and {@code orchestration} reach it by {@link ee.tasker.message.StepDispatcher}.
 */
package ee.tasker.dispatch;
