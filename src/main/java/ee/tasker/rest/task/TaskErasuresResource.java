package ee.tasker.rest.task;

import ee.tasker.operation.Erasure;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;

/**
 * Erases personal data: slice by slice the documents of all tasks with a value of a search
 * attribute.
 */
@Path("tasks:erase")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskErasuresResource {
  @Inject
  private Erasure erasure;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  /** Also needs what finding tasks by a value of their context needs. */
  @Requires(value = Permission.TASKS_ERASE, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public String erase(InputStream body) {
    JsonObject asked = bodies.object(body, "EraseTasksRequest");
    Erasure.Tagged tagged = new Erasure.Tagged(asked.getString("namespace"),
        asked.getString("name", null), asked.getString("attribute"), asked.getString("value"));
    UUID after = Json.optionalUuid(asked, "cursor").orElse(null);
    access.require(tagged.namespace());
    access.require(Permission.TASKS_CONTEXT_READ, tagged.namespace());
    return erasure.erase(tagged, TaskErasureResource.request(asked),
        asked.getBoolean("dry_run"), asked.getInt("limit"), after,
        access.namespaces(Permission.TASKS_ERASE)).toString();
  }
}
