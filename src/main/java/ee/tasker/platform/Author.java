package ee.tasker.platform;

/**
 * Who changes something, and why.
 *
 * @param by the name that the request gives, or the authenticated caller's
 */
public record Author(String by, String reason) {
}
