/**
 * Notifications of new work: calls within this server, and one coalesced notification to the other
 * servers after a commit.
 * A lost notification only costs time, because the fallback poller finds all work in the database.
 *
 * <p>The components that do the work implement {@link ee.tasker.message.StepDispatcher}, {@link
 * ee.tasker.message.Orchestrator} and the listeners here; this package depends on none of them.
 */
package ee.tasker.message;
