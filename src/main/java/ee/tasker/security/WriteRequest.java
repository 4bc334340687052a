package ee.tasker.security;

/**
 * Somebody asks for a change over HTTP.
 *
 * @param route  the path as the interface describes it, with the names of its parameters
 * @param path   as it was asked for
 * @param remote the address that the connection comes from
 */
public record WriteRequest(Caller caller, String method, String route, String path, String remote) {
}
