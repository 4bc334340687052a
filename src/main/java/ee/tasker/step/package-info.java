/**
 * Steps as this server's worker processes them: claims, result submissions, heartbeats,
 * checkpoints, and step definitions.
 * The database decides; this component calls it and maps the replies.
 */
package ee.tasker.step;
