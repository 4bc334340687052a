/**
 * A report over a public data set: extract, transform, four aggregates side by side, combine. The data is the FoodMart
 * sample warehouse, read from the class path of a Maven artifact; plain Java computes, and SQL can check every figure.
 */
package ee.tasker.samples.analytics;
