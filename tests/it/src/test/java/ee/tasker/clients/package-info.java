/** The clients of {@code clients}, in other languages, as processes against a server. */
package ee.tasker.clients;
