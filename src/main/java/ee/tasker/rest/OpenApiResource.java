package ee.tasker.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** The description of the interface: JSON, or YAML for whoever asks for it. */
@Path("openapi")
@RequestScoped
public class OpenApiResource {

  @Inject
  private OpenApiDocument document;

  @GET
  @Produces(MediaType.APPLICATION_JSON + ";qs=1")
  public String json() {
    return document.json();
  }

  @GET
  @Produces("application/yaml;qs=0.5")
  public String yaml() {
    return document.yaml();
  }
}
