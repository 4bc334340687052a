/** Two handlers that claim one name: no application with both of them starts. */
package ee.tasker.testing.twins;
