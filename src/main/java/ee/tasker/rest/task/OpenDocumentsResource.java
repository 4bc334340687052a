package ee.tasker.rest.task;

import ee.tasker.document.Seals;
import ee.tasker.operation.Operations;
import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;

/**
 * Opens what is sealed in the documents of a task, for a reason that is recorded as that of a
 * change.
 */
@Path("tasks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class OpenDocumentsResource {
  @Inject
  private Tasks tasks;

  @Inject
  private Operations operations;

  @Inject
  private Seals seals;

  @Inject
  private Visibility visibility;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  /** The task as a GET answers it, with its context and output open. */
  @Requires(value = Permission.DOCUMENTS_OPEN, in = Scope.TASK)
  @POST
  @Path("{task_uuid}/open")
  @Consumes(MediaType.APPLICATION_JSON)
  public String task(@PathParam("task_uuid") UUID task, InputStream body) {
    JsonObject described = tasks.describe(task).orElseThrow(() -> Tasks.notFound(task));
    String namespace = described.getString("namespace");
    access.require(Permission.TASKS_READ, namespace);
    access.require(Permission.TASKS_CONTEXT_READ, namespace);
    record(task, null, body);
    return seals.open(visibility.task(described), namespace).toString();
  }

  /** The step with its result and error open, and the results of all its attempts. */
  @Requires(value = Permission.DOCUMENTS_OPEN, in = Scope.TASK)
  @POST
  @Path("{task_uuid}/workflow_steps/{step_uuid}/open")
  @Consumes(MediaType.APPLICATION_JSON)
  public String step(@PathParam("task_uuid") UUID task,
      @PathParam("step_uuid") UUID step, InputStream body) {
    String namespace = tasks.describe(task, 0).orElseThrow(() -> Tasks.notFound(task))
        .getString("namespace");
    JsonObject described = tasks.step(task, step)
        .orElseThrow(() -> Tasks.stepNotFound(task, step));
    access.require(Permission.STEPS_READ, namespace);
    record(task, step, body);
    JsonArray results = tasks.audit(task, step, null);
    return seals.open(Json.build().createObjectBuilder()
        .add("step", visibility.step(task, described)).add("results", results).build(), namespace)
        .toString();
  }

  private void record(UUID task, UUID step, InputStream body) {
    Author author = Authors.of(bodies.object(body, "OpenRequest"));
    operations.recordOpening(task, step, author.by(), author.reason());
  }
}
