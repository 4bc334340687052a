package ee.tasker.rest;

import ee.tasker.platform.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.UriInfo;

/**
 * Where something is, for the header {@code Location}: below the configured address or, without one, relative to wherever the client found this server. Never by the
 * request's {@code Host}, which is whatever the client wrote there.
 */
@ApplicationScoped
public class Locations {
  static final String HEADER = "Location";

  @Inject
  private Settings settings;

  /** @param path below {@code /v1/}, of characters that need no encoding. As a text, since JAX-RS makes an absolute address of a relative one, by the request's host. */
  String of(UriInfo uri, String path) {
    return settings.baseUrl().map(base -> base + "/v1/").orElseGet(() -> uri.getBaseUri().getRawPath()) + path;
  }
}
