/**
 * Handlers that do next to nothing, so that a benchmark measures the engine. Deployed by the
 * benchmark only.
 */
package ee.tasker.benchmark.handlers;
