package ee.tasker.security;

/**
 * A request over HTTP to change something.
 *
 * @param route  the path template of the interface, with parameter names
 * @param path   the requested path
 * @param remote the connection's remote address
 */
public record WriteRequest(Caller caller, String method, String route, String path, String remote) {
}
