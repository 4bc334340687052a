package ee.tasker.rest.task;

import ee.tasker.operation.Operations;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.ActionReader;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import ee.tasker.task.TaskRequestReader;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.UUID;

/** New tasks that are made from a task, and run again from chosen steps on. */
@Path("tasks/{task_uuid}/forks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskForksResource {
  private static final int MOST = 100;

  @Inject
  private Operations operations;

  @Inject
  private Tasks tasks;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Visibility visibility;

  @Inject
  private Access access;

  @Inject
  private Locations locations;

  /**
   * The fork, as a task. The caller needs {@code tasks:create}, too: a fork is work that was not
   * there before.
   */
  @Requires(value = Permission.TASKS_ACT, in = Scope.TASK)
  @POST
  @OncePerKey(shows = Visibility.Content.TASK)
  @Consumes(MediaType.APPLICATION_JSON)
  public Response fork(@PathParam("task_uuid") UUID source, InputStream body) {
    access.requireForTask(Permission.TASKS_CREATE, source);
    UUID fork = operations.fork(source, ActionReader.fork(
        bodies.object(body, "ForkRequest", TaskRequestReader::checkContext)));
    return locations.created("tasks/" + fork,
        tasks.describe(fork).map(visibility::task).orElseThrow(() -> Tasks.notFound(fork)));
  }

  @Requires(value = Permission.TASKS_READ, in = Scope.TASK)
  @GET
  public String list(@PathParam("task_uuid") UUID task, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    return operations
        .forks(task, Parameters.number("limit", limit, 25, 1, MOST),
            Parameters.optionalUuid("cursor", cursor))
        .toString();
  }
}
