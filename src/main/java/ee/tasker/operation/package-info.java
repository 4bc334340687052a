/**
 * What people do to tasks and look at: actions on steps and tasks, pauses, actions on many, dead letters, and why something
 * waits, also for a slot of a concurrency policy, whose limit they may change. Every action has somebody who does it and a reason, and is one transaction with what follows from it.
 *
 * <p>{@link ee.tasker.operation.Operations}, {@link ee.tasker.operation.DeadLetters} and
 * {@link ee.tasker.operation.ConcurrencyPolicies} are the doors. What a move means is
 * decided in the database; here results and contexts are held against the schemas, and other servers are told.
 */
package ee.tasker.operation;
