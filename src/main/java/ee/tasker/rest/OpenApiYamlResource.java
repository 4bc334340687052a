package ee.tasker.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;

/** The same for those who cannot set a header. */
@Path("openapi.yaml")
@RequestScoped
public class OpenApiYamlResource {

  @Inject
  private OpenApiDocument document;

  @GET
  @Produces("application/yaml")
  public String yaml() {
    return document.yaml();
  }
}
