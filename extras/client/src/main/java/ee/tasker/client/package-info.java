/**
 * The client of the REST interface, on {@code java.net.http} and JSON-P.
 *
 * <p>{@link ee.tasker.client.TaskerClient} submits, follows, lists, cancels and operates tasks;
 * {@link ee.tasker.client.TaskerClient#send}
 * sends every other {@link ee.tasker.client.Operation}. A refusal is a {@link
 * ee.tasker.client.ProblemException}, a server that does
 * not answer an {@link ee.tasker.client.UnreachableException}. The client repeats a request by
 * itself only if a repetition cannot
 * take effect twice.
 *
 * <p>Not here: workers, and anything that decides; the server does.
 */
package ee.tasker.client;
