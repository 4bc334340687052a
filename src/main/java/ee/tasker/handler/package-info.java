/**
 * What user code sees: a handler does the work of one kind of step.
 *
 * <p>A worker claims a step, commits, and calls the handler outside any transaction (or, if it says so, in the one that
 * records its result, see {@link ee.tasker.handler.StepHandler#isTransactional()}). The handler reads its
 * {@link ee.tasker.handler.StepContext} and returns a {@link ee.tasker.handler.StepOutcome}; the worker hands that
 * outcome back in a new transaction. A step may run more than once (a server may die after the effect and before the
 * result submission), so effects outside the database are to be made idempotent with
 * {@link ee.tasker.handler.StepContext#idempotencyToken()}.
 *
 * <p>This package is a leaf: it knows the JDK and JSON-P, nothing of the engine. With the few types that
 * submit tasks from Java it is an artifact of its own ({@code extras/api}). It is not the place for engine types, configuration or transactions.
 */
package ee.tasker.handler;
