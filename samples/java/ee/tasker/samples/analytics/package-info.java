/**
 * A report over a public data set: extract, transform, four parallel aggregates, combine. The data
 * is the FoodMart sample
 * warehouse, read from the class path of a Maven artifact; plain Java computes the figures, and SQL
 * can check each of them.
 */
package ee.tasker.samples.analytics;
