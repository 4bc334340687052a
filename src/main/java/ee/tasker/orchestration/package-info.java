/**
 * The orchestrator of this server and the safety net: settles what worker-only servers submitted, takes task requests
 * from their queue, checks contexts that came in by SQL, and looks at tasks whose time has come.
 *
 * <p>{@link ee.tasker.orchestration.Orchestration} is the door; {@link ee.tasker.orchestration.Poller} calls it now and
 * then, and that alone is enough to finish every task.
 */
package ee.tasker.orchestration;
