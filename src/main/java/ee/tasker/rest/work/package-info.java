/**
 * The resources of those who run steps: servers, workers with their claims and results, handlers
 * and queues, and what holds steps back: concurrency policies and pauses. Uses {@code http} only,
 * of this component.
 */
package ee.tasker.rest.work;
