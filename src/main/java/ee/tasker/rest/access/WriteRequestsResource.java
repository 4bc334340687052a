package ee.tasker.rest.access;

import ee.tasker.platform.Json;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Administration;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

/** The log of write requests: caller, change, time and status. */
@Path("write-requests")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class WriteRequestsResource {

  @Inject
  private Administration administration;

  @Requires(value = Permission.SECURITY_AUDIT_READ, in = Scope.EVERYWHERE)
  @MayBeStale
  @GET
  public String list(@QueryParam("caller") String caller, @QueryParam("route") String route,
      @QueryParam("object") String object, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    var filter = Json.build().createObjectBuilder();
    Filters.add(filter, "caller", caller);
    Filters.add(filter, "route", route);
    Filters.add(filter, "object", object);
    return administration
        .writeRequests(filter.build(), Parameters.number("limit", limit, 50, 1, 500),
            Parameters.optionalUuid("cursor", cursor))
        .toString();
  }
}
