package ee.tasker.rest.task;

import ee.tasker.operation.Action;
import ee.tasker.operation.Operations;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.ActionReader;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;

/** Operator actions on a task and its steps, its diagnosis and its history. */
@Path("tasks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskActionsResource {

  @Inject
  private Operations operations;

  @Inject
  private Tasks tasks;

  @Inject
  private Access access;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Visibility visibility;

  /** The task after the action and its consequences. */
  @Requires(value = Permission.TASKS_ACT, in = Scope.TASK)
  @PATCH
  @OncePerKey(shows = Visibility.Content.TASK)
  @Path("{task_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String act(@PathParam("task_uuid") UUID task, InputStream body) {
    Action action = ActionReader.task(bodies.object(body));
    if ("compensate".equals(action.name())) {
      // A task that is not blocked is cancelled for it.
      access.requireForTask(Permission.TASKS_CANCEL, task);
    }
    operations.actOnTask(task, action);
    return tasks.describe(task).map(visibility::task).orElseThrow(() -> Tasks.notFound(task))
        .toString();
  }

  /** The step after the action and its consequences. */
  @Requires(value = Permission.STEPS_RESOLVE, in = Scope.TASK)
  @PATCH
  @OncePerKey(shows = Visibility.Content.STEP)
  @Path("{task_uuid}/workflow_steps/{step_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String actOnStep(@PathParam("task_uuid") UUID task,
      @PathParam("step_uuid") UUID step, InputStream body) {
    operations.actOnStep(task, step, ActionReader.step(bodies.object(body)));
    return visibility.step(task, tasks.step(task, step).orElseThrow(() -> Tasks.notFound(task)))
        .toString();
  }

  @Requires(value = Permission.TASKS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/diagnosis")
  public String why(@PathParam("task_uuid") UUID task) {
    return operations
        .why(task, visibility.sees(Permission.TASKS_CONTEXT_READ, task),
            visibility.sees(Permission.STEPS_READ, task))
        .toString();
  }

  @Requires(value = Permission.TASKS_READ, in = Scope.TASK)
  @GET
  @Path("{task_uuid}/history")
  public String history(@PathParam("task_uuid") UUID task) {
    JsonArray history = operations.history(task);
    if (history.isEmpty()) {
      throw Tasks.notFound(task);
    }
    return Json.build().createObjectBuilder().add("task_uuid", task.toString())
        .add("entries", visibility.history(task, history))
        .addNull("next").build().toString();
  }
}
