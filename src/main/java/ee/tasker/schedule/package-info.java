/**
 * Schedules: tasks that are submitted at fire times, by cron or by interval. {@link
 * ee.tasker.schedule.Schedules} is the facade. This component
 * calculates fire times, because the zone rules of the JVM are the only ones in use; the database
 * only compares instants, decides what
 * becomes of a fire time, and submits its task in the same transaction (ADR 0045).
 */
package ee.tasker.schedule;
