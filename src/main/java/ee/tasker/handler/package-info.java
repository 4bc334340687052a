/**
 * The API for user code: a handler does the work of one kind of step.
 *
 * <p>A worker claims a step, commits, and calls the handler outside any transaction (or, if the
 * handler asks for it, in the
 * transaction that records its result, see {@link
 * ee.tasker.handler.StepHandler#isTransactional()}). The handler reads its
 * {@link ee.tasker.handler.StepContext} and returns a {@link ee.tasker.handler.StepOutcome}; the
 * worker submits that
 * outcome in a new transaction. A step may run more than once (a server may crash after the effect
 * and before the result
 * submission), so make effects outside the database idempotent with {@link
 * ee.tasker.handler.StepContext#idempotencyToken()}.
 *
 * <p>This package is a leaf: it depends on the JDK and JSON-P only. Together with the few types
 * that submit tasks from Java
 * it is published as its own artifact ({@code extras/api}). Engine types, configuration and
 * transactions do not belong
 * here.
 */
package ee.tasker.handler;
