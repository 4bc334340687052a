package ee.tasker.rest.operation;

import ee.tasker.operation.Retention;
import ee.tasker.platform.Author;
import ee.tasker.platform.Members;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
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
    JsonObject asked = bodies.object(body, "RetentionPolicyRequest", RetentionResource::check);
    Author author = Authors.of(asked);
    return retention
        .set(new Retention.Policy(asked.getString("namespace", null), asked.getString("name", null),
            asked.getString("state", null), Members.integer(asked, "keep_days")),
            asked.getBoolean("remove", false), asked.getBoolean("dry_run", false),
            author.by(), author.reason())
        .toString();
  }

  private static void check(JsonObject asked, Violations violations) {
    if (!Members.isAbsent(asked, "name") && Members.isAbsent(asked, "namespace")) {
      violations.add("namespace", "is required with a name");
    }
    if (!asked.getBoolean("remove", false) && !asked.containsKey("keep_days")) {
      violations.add("keep_days", "is required");
    }
  }
}
