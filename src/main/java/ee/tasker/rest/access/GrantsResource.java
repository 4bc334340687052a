package ee.tasker.rest.access;

import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Access;
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
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.UUID;

/** Grants of users and keys: add and revoke. */
@Path("access/grants")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class GrantsResource {

  @Inject
  private Administration administration;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Context
  private HttpServletRequest request;

  @Requires(value = Permission.SECURITY_MANAGE, in = Scope.EVERYWHERE)
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    JsonObject asked = bodies.object(body, "NewGrant", GrantsResource::check);
    UUID user = Json.optionalUuid(asked, "user_uuid").orElse(null);
    UUID key = Json.optionalUuid(asked, "key_uuid").orElse(null);
    WriteLog.isAbout(request, "access", user == null ? "keys" : "users",
        (user == null ? key : user).toString());
    UUID grant = administration.grant(user, key, GrantReader.grant(asked), access.caller().actor());
    return Response.status(201).entity(
        Json.build().createObjectBuilder().add("grant_uuid", grant.toString()).build().toString())
        .build();
  }

  private static void check(JsonObject asked, Violations violations) {
    if (Members.isAbsent(asked, "user_uuid") == Members.isAbsent(asked, "key_uuid")) {
      violations.add("user_uuid", "either this or key_uuid is required, not both");
    }
    GrantReader.check("", asked, violations);
  }

  @Requires(value = Permission.SECURITY_MANAGE, in = Scope.EVERYWHERE)
  @DELETE
  @Path("{grant_uuid}")
  public String revoke(@PathParam("grant_uuid") UUID grant) {
    JsonObject revoked = administration.revokeGrant(grant, access.caller().actor());
    WriteLog.isAbout(request, "access", revoked.isNull("user_uuid") ? "keys" : "users",
        revoked.getString(revoked.isNull("user_uuid") ? "key_uuid" : "user_uuid"));
    return Json.build().createObjectBuilder().add("grant_uuid", grant.toString()).build()
        .toString();
  }
}
