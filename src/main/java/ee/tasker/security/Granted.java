package ee.tasker.security;

/**
 * What is to be granted: a role or a permission, one of them null.
 *
 * @param namespace null for all
 */
public record Granted(String role, String permission, String namespace) {
}
