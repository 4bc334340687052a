/**
 * Handlers that do what a test needs a handler to do; the integration tests' WAR has them, the
 * product never. They read
 * their part from {@code handler.initialization} of the template, and leave what they did in schema
 * {@code testing}.
 */
package ee.tasker.testing.handlers;
