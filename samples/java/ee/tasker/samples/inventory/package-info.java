/**
 * A CSV of products is read in batches, where a batch with a row that makes no sense fails alone,
 * or in a loop with checkpoints.
 */
package ee.tasker.samples.inventory;
