/**
 * Threads for one purpose each, the context that they run in, and the steps of the start, of which
 * one waits for the other. Uses {@code log}.
 */
package ee.tasker.platform.thread;
