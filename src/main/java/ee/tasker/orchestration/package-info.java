/**
 * The orchestrator of this server and the fallback poller: settles the results of worker-only
 * servers, takes task requests
 * off their queue, validates contexts of tasks created by SQL, and advances due tasks.
 *
 * <p>{@link ee.tasker.orchestration.Orchestration} is the facade; {@link
 * ee.tasker.orchestration.Poller} calls it
 * periodically, which alone suffices to finish every task.
 */
package ee.tasker.orchestration;
