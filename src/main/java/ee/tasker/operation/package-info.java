/**
 * Operator actions: on steps and tasks, pauses, bulk actions, dead letters, the diagnosis of why a
 * task waits, and the
 * limits of concurrency policies. Every action records an actor and a reason, and runs in one
 * transaction with its
 * consequences.
 *
 * <p>{@link ee.tasker.operation.Operations}, {@link ee.tasker.operation.DeadLetters}, {@link
 * ee.tasker.operation.Signals}, {@link
 * ee.tasker.operation.Approvals} and {@link
 * ee.tasker.operation.ConcurrencyPolicies} are the facades. SQL functions decide what an action
 * does; this component
 * validates results and contexts against their schemas and notifies the other servers.
 */
package ee.tasker.operation;
