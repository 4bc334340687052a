/**
 * The run command: one PostgreSQL, one server, in the foreground, with nothing left behind
 * afterwards.
 *
 * <p>{@link ee.tasker.run.RunCommand} is what {@code ./mvnw} ends in, in a process of its own
 * ({@link ee.tasker.run.OwnProcess}). It starts {@link ee.tasker.run.EmbeddedDatabase} and then the
 * server as a child, waits, and stops both in reverse order. The integration tests reuse the
 * database. It is a module of its own, so that it can never be part of the WAR; it needs no class of
 * the product.
 */
package ee.tasker.run;
