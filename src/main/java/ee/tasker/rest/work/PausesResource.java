package ee.tasker.rest.work;

import ee.tasker.operation.Operations;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.ActionReader;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Members;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.WriteLog;
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
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import java.io.InputStream;
import java.util.Set;

/** Paused namespaces and templates, whose steps are not handed off. */
@Path("pauses")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class PausesResource {

  @Inject
  private Operations operations;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Context
  private UriInfo uri;

  @Context
  private HttpServletRequest request;

  @Requires(value = Permission.TEMPLATES_READ, in = Scope.ASKED)
  @GET
  public String list() {
    Parameters.checkKnown(uri, Set.of());
    return Listing.whole("pauses", access.visible(operations.pauses())).toString();
  }

  @Requires(value = Permission.TEMPLATES_PAUSE, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public String pause(InputStream body) {
    Parameters.checkKnown(uri, Set.of());
    Members members = new Members(bodies.object(body));
    String namespace = members.text("namespace", 29);
    String name = members.optionalText("name", 64);
    String version = members.optionalText("version", 16);
    if (version != null && name == null) {
      members.wrong("name", "is required with a version");
    }
    String by = members.text("requested_by", ActionReader.WHO);
    String reason = members.text("reason", ActionReader.WHY);
    members.check();
    access.require(namespace);
    WriteLog.isAbout(request, "pauses", namespace, name, version);
    return operations.pause(namespace, name, version, by, reason).toString();
  }

  @Requires(value = Permission.TEMPLATES_PAUSE, in = Scope.ASKED)
  @DELETE
  @OncePerKey
  public String resume(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("version") String version, @QueryParam("requested_by") String requestedBy,
      @QueryParam("reason") String reason) {
    Parameters.checkKnown(uri, Set.of("namespace", "name", "version", "requested_by", "reason"));
    Members members = new Members(
        asObject("namespace", namespace, "name", name, "version", version, "requested_by",
            requestedBy, "reason", reason));
    String inNamespace = members.text("namespace", 29);
    String ofName = members.optionalText("name", 64);
    String ofVersion = members.optionalText("version", 16);
    if (ofVersion != null && ofName == null) {
      members.wrong("name", "is required with a version");
    }
    String by = members.text("requested_by", ActionReader.WHO);
    String why = members.text("reason", ActionReader.WHY);
    members.check();
    access.require(inNamespace);
    WriteLog.isAbout(request, "pauses", inNamespace, ofName, ofVersion);
    return operations.resume(inNamespace, ofName, ofVersion, by, why).toString();
  }

  private static JsonObject asObject(String... pairs) {
    var object = Json.build().createObjectBuilder();
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        object.add(pairs[i], pairs[i + 1]);
      }
    }
    return object.build();
  }
}
