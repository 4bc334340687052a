package ee.tasker.rest.access;

import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
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
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.UUID;

/** API keys: list, create, revoke. */
@Path("access/keys")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class KeysResource {

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
    return Listing.whole("keys", administration.list().get("keys")).toString();
  }

  /** Only this response contains the key. */
  @Requires(value = Permission.SECURITY_MANAGE, in = Scope.EVERYWHERE)
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response create(InputStream body) {
    JsonObject asked = bodies.object(body, "NewKey", GrantReader::checkKey);
    String name = asked.getString("name");
    WriteLog.isAbout(request, "access", "keys", name);
    JsonObject key = administration.createKey(name,
        Members.integer(asked, "expires_in_seconds"), GrantReader.grants(asked),
        access.caller().actor());
    return Response.status(201).entity(key.toString()).build();
  }

  @Requires(value = Permission.SECURITY_MANAGE, in = Scope.EVERYWHERE)
  @DELETE
  @Path("{key_uuid}")
  public String revoke(@PathParam("key_uuid") UUID key) {
    administration.revokeKey(key, access.caller().actor());
    return Json.build().createObjectBuilder().add("key_uuid", key.toString()).build().toString();
  }
}
