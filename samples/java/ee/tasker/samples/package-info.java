/**
 * Workflows to read, run and copy. Each folder beside {@code java} has a template, requests and
 * expected results; the
 * handlers are here, one package per business area, as small functions of (context, results of
 * ancestors, configuration).
 *
 * <p>{@link ee.tasker.samples.SampleRunner} posts every request to a running server and compares.
 * These classes use only
 * the handler SPI of the engine, except {@link
 * ee.tasker.samples.customersuccess.PaymentsRefundStarter}, which starts a
 * task. They are not part of the product: nothing in the WAR may import them.
 */
package ee.tasker.samples;
