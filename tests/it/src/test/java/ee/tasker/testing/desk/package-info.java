/**
 * An application that embeds the product, for the tests: a business transaction that submits a
 * task, and the handler that fulfils it.
 */
package ee.tasker.testing.desk;
