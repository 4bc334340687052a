package ee.tasker.rest.http;

import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriBuilder;

/**
 * Builds values of the header {@code Location}: below the configured base address or, without one,
 * relative to the address
 * that the client used. Never from the request's {@code Host}, which the client controls.
 */
@ApplicationScoped
public class Locations {
  /** The name of the header. */
  public static final String HEADER = "Location";

  @Inject
  private Settings settings;

  @Inject
  private HttpServletRequest request;

  /**
   * @param path below {@code /v1/}, of characters that need no encoding. A string, because JAX-RS
   *   would make a relative URI
   *     absolute with the request's host.
   */
  public String of(String path) {
    return settings.baseUrl().orElseGet(request::getContextPath) + "/v1/" + path;
  }

  /** The answer that an object was made, with the object. */
  public Response created(String path, JsonObject made) {
    return answer(201, path, made);
  }

  public Response answer(int status, String path, JsonObject entity) {
    return Response.status(status).header(HEADER, of(path)).entity(entity.toString()).build();
  }

  /** One segment of a path; what is no character of a segment is percent-encoded. */
  public static String segment(String name) {
    // Below a root: what is before a colon would be taken for the scheme of a URI.
    return UriBuilder.fromPath("/{name}").build(name).getRawPath().substring(1);
  }
}
