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
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.UUID;

/** Erases personal data: the documents of one task. */
@Path("tasks/{task_uuid}/erase")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class TaskErasureResource {
  @Inject
  private Erasure erasure;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Requires(value = Permission.TASKS_ERASE, in = Scope.TASK)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public String erase(@PathParam("task_uuid") UUID task, InputStream body) {
    JsonObject asked = bodies.object(body, "EraseRequest");
    JsonObject reply = erasure.erase(task, request(asked), asked.getBoolean("force"),
        access.namespaces(Permission.TASKS_ERASE));
    JsonObjectBuilder shown = Json.build().createObjectBuilder()
        .add("task_uuid", task.toString());
    for (String member : new String[]{"outcome", "state", "erased_at", "tasks", "forks"}) {
      shown.add(member, reply.get(member));
    }
    return shown.build().toString();
  }

  static Erasure.Request request(JsonObject asked) {
    return new Erasure.Request(asked.getString("requested_by"), asked.getString("reason"),
        asked.getBoolean("children"));
  }
}
