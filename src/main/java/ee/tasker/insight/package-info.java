/**
 * What can be told about this server without changing anything: the health checks of MicroProfile Health. They ask the
 * doors of the other components and the database; no component asks them.
 *
 * <p>{@code /health/live} fails when a restart would help: the poller or the heartbeat no longer comes round.
 * {@code /health/ready} fails when this server cannot do its work now: the database does not answer, its schema is older
 * than this application, or the server is on its way out. {@code /health/started} is for slow starts. What each says is in
 * {@code docs/operations.md}.
 */
package ee.tasker.insight;
