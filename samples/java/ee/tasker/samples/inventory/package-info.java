/** A CSV of products is read in batches; a batch with a row that makes no sense fails alone. */
package ee.tasker.samples.inventory;
