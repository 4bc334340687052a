package ee.tasker.rest.work;

import ee.tasker.insight.Insight;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** All queues over HTTP: their length and their dead messages. */
@Path("queues")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class QueuesResource {

  @Inject
  private Insight insight;

  @Requires(value = Permission.SYSTEM_SERVERS_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return insight.queues().toString();
  }
}
