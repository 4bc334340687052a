/**
 * One handler class with several public methods; the template selects one with {@code
 * handler.method}.
 */
package ee.tasker.samples.dispatch;
