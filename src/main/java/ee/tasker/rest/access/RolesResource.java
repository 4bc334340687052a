package ee.tasker.rest.access;

import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Administration;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** The existing roles, with their permissions. */
@Path("access/roles")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class RolesResource {

  @Inject
  private Administration administration;

  @Requires(value = Permission.SECURITY_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return Listing.whole("roles", administration.list().get("roles")).toString();
  }
}
