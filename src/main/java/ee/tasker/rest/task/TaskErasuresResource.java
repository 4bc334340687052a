package ee.tasker.rest.task;

import ee.tasker.operation.Erasure;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Members;
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
  private static final int SLICE = 100;
  private static final int LARGEST_SLICE = 1_000;

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
    Members members = new Members(bodies.object(body));
    Erasure.Tagged tagged = new Erasure.Tagged(members.text("namespace", 29),
        members.optionalText("name", 64), members.text("attribute", 63),
        members.text("value", 256));
    boolean dryRun = members.flag("dry_run");
    int limit = members.number("limit", 1, LARGEST_SLICE, SLICE);
    UUID after = members.uuid("cursor");
    Erasure.Request request = TaskErasureResource.request(members);
    members.check();
    access.require(tagged.namespace());
    access.require(Permission.TASKS_CONTEXT_READ, tagged.namespace());
    return erasure.erase(tagged, request, dryRun, limit, after,
        access.namespaces(Permission.TASKS_ERASE)).toString();
  }
}
