/** Steps that fail on purpose, in every way a step can fail, and say how often they were tried. */
package ee.tasker.samples.retries;
