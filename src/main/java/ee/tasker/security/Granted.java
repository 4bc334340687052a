package ee.tasker.security;

/**
 * A role or a permission to grant; one of them is null.
 *
 * @param namespace null for all
 */
public record Granted(String role, String permission, String namespace) {
}
