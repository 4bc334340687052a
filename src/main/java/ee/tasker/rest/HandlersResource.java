package ee.tasker.rest;

import ee.tasker.platform.Json;
import ee.tasker.worker.HandlerRegistry;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** The handlers of this server over HTTP. */
@Path("handlers")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class HandlersResource {

  @Inject
  private HandlerRegistry handlers;

  @GET
  public String list() {
    return Json.build().createObjectBuilder()
        .add("handlers", Json.build().createArrayBuilder(handlers.names()))
        .build().toString();
  }
}
