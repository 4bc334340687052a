/** Handlers that only the newer version of an application has. */
package ee.tasker.testing.newer;
