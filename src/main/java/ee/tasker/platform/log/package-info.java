/**
 * The log catalogue, and the one class that writes to the log. Uses no other package of the
 * platform but its base, which tells faults of the database apart: while the database is away, most
 * lines are left out.
 */
package ee.tasker.platform.log;
