/**
 * The run command: one PostgreSQL, one server, in the foreground, with nothing left behind
 * afterwards.
 *
 * <p>{@link ee.tasker.run.RunCommand} is what {@code ./mvnw} ends in. It runs inside Maven's own
 * process, starts {@link
 * ee.tasker.run.EmbeddedDatabase} and then the server as a child, waits, and stops both in reverse
 * order. The integration
 * tests reuse the database. It lives in {@code src/run}, which the build compiles into the folder
 * of the tests, so that it
 * can never be part of the WAR; it needs no class of the product.
 */
package ee.tasker.run;
