package ee.tasker.client;

/**
 * What is wrong with one field of a request.
 *
 * @param field a member, a parameter, a JSON pointer into the context, or the path of a value in a
 *   template
 * @param message what is wrong with it
 */
public record Violation(String field, String message) {
}
