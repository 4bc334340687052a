/**
 * Read-only reports about this server and the installation, and the health checks of MicroProfile
 * Health. It calls the
 * facades of the other components and the database; no component calls it.
 *
 * <p>{@code /health/live} fails when a restart would help: the poller or the heartbeat has stopped
 * running. {@code
 * /health/ready} fails when this server cannot work now: the database does not answer, its schema
 * is older than this
 * application, or the server is draining. {@code /health/started} is for slow starts. {@code
 * docs/operations.md} describes
 * each check.
 */
package ee.tasker.insight;
