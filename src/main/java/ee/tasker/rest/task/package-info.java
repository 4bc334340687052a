/**
 * The resources of what is to run: templates, tasks one by one and in batches, with their steps,
 * waits, signals, forks and erasure, and the schedules that submit tasks. Uses {@code http} only,
 * of this component.
 */
package ee.tasker.rest.task;
