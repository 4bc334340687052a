/**
 * The base of every component, which depends on none: problems returned to callers, JSON, the
 * schemas of request bodies, what is said of a fault of the database, and who asks.
 *
 * <ul>
 * <li>{@link ee.tasker.platform.config} has the settings and the identity of this server.
 * <li>{@link ee.tasker.platform.log} has the log catalogue.
 * <li>{@link ee.tasker.platform.thread} has the threads and the steps of the start.
 * <li>{@link ee.tasker.platform.load} keeps namespaces apart under load.
 * <li>{@link ee.tasker.platform.sql} is the way to the database.
 * </ul>
 *
 * <p>The classes here use none of these packages.
 */
package ee.tasker.platform;
