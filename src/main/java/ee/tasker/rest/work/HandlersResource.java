package ee.tasker.rest.work;

import ee.tasker.platform.Json;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
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

  @Requires(value = Permission.SYSTEM_HANDLERS_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return Listing.whole("handlers", Json.build().createArrayBuilder(handlers.names()).build())
        .toString();
  }
}
