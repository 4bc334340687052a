/**
 * How work becomes known: wake-ups within this server, and one coalescing notification per server to the others after a
 * commit. A lost wake-up costs time and nothing else, because the poller finds everything in the database.
 *
 * <p>The components that do the work implement {@link ee.tasker.message.StepDispatcher}, {@link ee.tasker.message.Orchestrator} and
 * the listeners here; this package knows none of them.
 */
package ee.tasker.message;
