/**
 * Servers of the integration tests that stay outside: real ones, each a process of its own on an
 * empty PostgreSQL.
 *
 * <p>{@link ee.tasker.testing.server.AgainstServer} gives a test class the one that all such
 * classes share;
 * {@link ee.tasker.testing.server.TestServer} starts others, with a configuration of their own.
 */
package ee.tasker.testing.server;
