package ee.tasker.rest.operation;

import ee.tasker.operation.SavedViews;
import ee.tasker.platform.Json;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.OncePerKey;
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
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Filters of lists under a name: of the caller, or shared with all who may list tasks in a
 * namespace. Sharing, and deleting what others
 * shared, needs {@code tasks:act} there. A view has no rights of its own: a caller who opens it
 * sees what that caller may see.
 */
@Path("views")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class ViewsResource {
  private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]+");

  @Inject
  private SavedViews views;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Context
  private HttpServletRequest request;

  @Requires(value = Permission.TASKS_LIST, in = Scope.ASKED)
  @GET
  public String list() {
    return Listing
        .whole("views",
            views.list(access.caller().principal(), access.namespaces(Permission.TASKS_LIST)))
        .toString();
  }

  @Requires(value = Permission.TASKS_LIST, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public String save(InputStream body) {
    JsonObject asked = bodies.object(body, "ViewRequest", ViewsResource::check);
    String name = asked.getString("name").strip();
    String namespace = asked.getString("namespace", null);
    WriteLog.isAbout(request, "views", name);
    if (namespace != null) {
      access.require(Permission.TASKS_ACT, namespace);
      access.require(namespace);
    }
    return views
        .save(asked.getString("page"), name, asked.getString("query", ""), namespace,
            access.caller().principal(), access.caller().actor())
        .toString();
  }

  private static void check(JsonObject asked, Violations violations) {
    String name = asked.getString("name", null);
    if (name != null && !NAME.matcher(name.strip()).matches()) {
      violations.add("name", "must have no control characters");
    }
  }

  @Requires(value = Permission.TASKS_LIST, in = Scope.ASKED)
  @DELETE
  @OncePerKey
  @Path("{view_uuid}")
  public String delete(@PathParam("view_uuid") UUID uuid) {
    JsonObject deleted = views.delete(uuid, access.caller().principal(),
        access.namespaces(Permission.TASKS_ACT));
    WriteLog.isAbout(request, "views", deleted.getString("name"));
    return Json.build().createObjectBuilder().add("outcome", "done").build().toString();
  }
}
