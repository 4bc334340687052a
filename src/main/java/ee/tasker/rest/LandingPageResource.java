package ee.tasker.rest;

import jakarta.enterprise.context.RequestScoped;
import jakarta.servlet.ServletContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The page for people at the context root, which JAX-RS has taken over from the server's own file serving. */
@Path("")
@RequestScoped
public class LandingPageResource {

  @Context
  private ServletContext application;

  @GET
  @Produces("text/html;charset=UTF-8")
  public String page() throws IOException {
    try (InputStream page = application.getResourceAsStream("/index.html")) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
