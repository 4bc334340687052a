package ee.tasker.rest.task;

import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;

/** How many tasks a list would show, by state, up to a bound. */
@Path("tasks:count")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskCountResource {
  @Inject
  private Tasks tasks;

  @Inject
  private Access access;

  @Context
  private UriInfo uri;

  @Requires(value = Permission.TASKS_LIST, in = Scope.ASKED)
  @MayBeStale
  @SelectsTasks
  @GET
  public String count() {
    return TaskFilter.checked(tasks.count(TaskFilter.read(uri, access, null))).toString();
  }
}
