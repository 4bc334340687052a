package ee.tasker.rest.task;

import ee.tasker.operation.Signals;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;

/** Signals to one task. */
@Path("tasks")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskSignalsResource {
  @Inject
  private Signals signals;

  @Inject
  private RequestBodies bodies;

  @Requires(value = Permission.TASKS_SIGNAL, in = Scope.TASK)
  @POST
  @OncePerKey
  @Path("{task_uuid}/signals/{name}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String send(@PathParam("task_uuid") UUID task, @PathParam("name") String name,
      InputStream body) {
    SignalBody signal = SignalBody.read(name, bodies.object(body, "SignalRequest"));
    return signals.send(task, name, signal.payload(), signal.signalId()).toString();
  }
}
