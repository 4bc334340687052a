/** The words of the engine's state machine, once: states, outcomes and verdicts as the functions of the database spell them. Knows the JDK only. */
package ee.tasker.engine.model;
