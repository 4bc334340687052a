package ee.tasker.rest.task;

import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.UUID;

/** The child tasks of one task. */
@Path("tasks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskChildrenResource {
  @Inject
  private Tasks tasks;

  @Inject
  private Access access;

  /** Those in namespaces that the caller may not read are left out. */
  @Requires(value = Permission.TASKS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/children")
  public String list(@PathParam("task_uuid") UUID task, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    JsonObject page = tasks
        .children(task, Parameters.optionalUuid("cursor", cursor),
            Parameters.number("limit", limit, 25, 1, 100))
        .orElseThrow(() -> Tasks.notFound(task));
    return Json.build().createObjectBuilder(page)
        .add("children", access.visible(page.getJsonArray("children"))).build().toString();
  }
}
