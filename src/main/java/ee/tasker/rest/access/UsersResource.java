package ee.tasker.rest.access;

import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.WriteLog;
import ee.tasker.security.Administration;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.UUID;

/** Users with name and password: list, create, change the password, disable. */
@Path("access/users")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class UsersResource {

  @Inject
  private Administration administration;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Context
  private HttpServletRequest request;

  @Requires(value = Permission.SECURITY_READ, in = Scope.EVERYWHERE)
  @GET
  public String list() {
    return Listing.whole("users", administration.list().get("users")).toString();
  }

  /** Without a password, a random one is generated and returned only here. */
  @Requires(value = Permission.SECURITY_MANAGE, in = Scope.EVERYWHERE)
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    JsonObject asked = bodies.object(body, "NewUser", GrantReader::checkUser);
    String name = asked.getString("name");
    WriteLog.isAbout(request, "access", "users", name);
    JsonObject user = administration.createUser(name, asked.getString("password", null),
        GrantReader.grants(asked), access.caller().actor());
    return Response.status(201).entity(user.toString()).build();
  }

  @Requires(value = Permission.SECURITY_MANAGE, in = Scope.EVERYWHERE)
  @PATCH
  @Path("{user_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String change(@PathParam("user_uuid") UUID user, InputStream body) {
    JsonObject change = bodies.object(body, "UserChange", UsersResource::checkChange);
    String password = change.getString("password", null);
    boolean isToEnable = !Members.isAbsent(change, "enabled");
    if (isToEnable) {
      administration.setEnabled(user, change.getBoolean("enabled"), access.caller().actor());
    }
    if (password != null) {
      administration.setPassword(user, password, access.caller().actor());
    }
    return Json.build().createObjectBuilder().add("user_uuid", user.toString()).build().toString();
  }

  private static void checkChange(JsonObject change, Violations violations) {
    if (Members.isAbsent(change, "password") && Members.isAbsent(change, "enabled")) {
      violations.add("password", "is required unless enabled is given");
    }
  }
}
