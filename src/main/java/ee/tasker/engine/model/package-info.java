/**
 * The vocabulary of the engine's state machines in one place: states, outcomes and verdicts as the
 * database functions spell
 * them. Depends on the JDK only.
 */
package ee.tasker.engine.model;
