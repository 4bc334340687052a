/** Steps that fail on purpose, in every way a step can fail, and report the number of attempts. */
package ee.tasker.samples.retries;
