/**
 * The way to the database: calls of SQL functions on the primary and the replica, connections that
 * the application opens itself, whether the database can be used, the schema with its migrations
 * and functions, and the metrics of this server, which count the calls. Uses {@code config}, {@code
 * log} and {@code thread}.
 */
package ee.tasker.platform.sql;
