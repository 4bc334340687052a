package ee.tasker.rest.http;

import ee.tasker.platform.config.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.UriBuilder;
import jakarta.ws.rs.core.UriInfo;

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

  /**
   * @param path below {@code /v1/}, of characters that need no encoding. A string, because JAX-RS
   *   would make a relative URI
   *     absolute with the request's host.
   */
  public String of(UriInfo uri, String path) {
    return settings.baseUrl().map(base -> base + "/v1/")
        .orElseGet(() -> uri.getBaseUri().getRawPath()) + path;
  }

  /** One segment of a path; what is no character of a segment is percent-encoded. */
  public static String segment(String name) {
    // Below a root: what is before a colon would be taken for the scheme of a URI.
    return UriBuilder.fromPath("/{name}").build(name).getRawPath().substring(1);
  }
}
