/**
 * Steps as this server's worker handles them: claims, result submissions, heartbeats, checkpoints, and what a template says about
 * a step. The decisions are the database's; this component carries them over.
 */
package ee.tasker.step;
