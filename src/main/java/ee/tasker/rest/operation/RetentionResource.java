package ee.tasker.rest.operation;

import ee.tasker.engine.model.TaskState;
import ee.tasker.operation.Retention;
import ee.tasker.platform.Author;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Members;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;

/** Retention policies of finished tasks. */
@Path("retention")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class RetentionResource {
  private static final int A_HUNDRED_YEARS = 36_500;
  @Inject
  private Retention retention;

  @Inject
  private RequestBodies bodies;

  @Requires(value = Permission.POLICIES_READ, in = Scope.EVERYWHERE)
  @GET
  public String status() {
    return retention.status().toString();
  }

  @Requires(value = Permission.POLICIES_READ, in = Scope.EVERYWHERE)
  @GET
  @Path("preview")
  public String preview() {
    return retention.preview().toString();
  }

  /**
   * keep_days is required even when it is null, which means forever; unless the policy is removed.
   */
  @Requires(value = Permission.POLICIES_UPDATE, in = Scope.EVERYWHERE)
  @PUT
  @OncePerKey
  @Path("policy")
  @Consumes(MediaType.APPLICATION_JSON)
  public String set(InputStream body) {
    Members members = new Members(bodies.object(body));
    String namespace = members.optionalText("namespace", 29);
    String name = members.optionalText("name", 64);
    if (name != null && namespace == null) {
      members.wrong("namespace", "is required with a name");
    }
    String state = members.word("state", TaskState.terminalWords(), null);
    boolean removed = members.flag("remove");
    if (!removed) {
      members.anything("keep_days");
    }
    Integer keepDays = members.number("keep_days", 0, A_HUNDRED_YEARS);
    boolean dryRun = members.flag("dry_run");
    Author author = Authors.of(members);
    return retention
        .set(new Retention.Policy(namespace, name, state, keepDays), removed, dryRun,
            author.by(), author.reason())
        .toString();
  }
}
