package ee.tasker.rest;

import ee.tasker.insight.Insight;
import ee.tasker.rest.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** All servers of the installation over HTTP. */
@Path("servers")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class ServersResource {

  @Inject
  private Insight insight;

  @Requires(value = Permission.SYSTEM_SERVERS_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return insight.servers().toString();
  }
}
