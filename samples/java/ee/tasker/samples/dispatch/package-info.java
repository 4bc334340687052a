/** One handler class with several public methods; the template chooses by {@code handler.method}. */
package ee.tasker.samples.dispatch;
