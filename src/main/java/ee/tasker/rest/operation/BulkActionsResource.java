package ee.tasker.rest.operation;

import ee.tasker.operation.Operations;
import ee.tasker.platform.Json;
import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Violations;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonString;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Actions on many tasks: first a dry run, which counts the tasks and returns a token, then the run,
 * which presents the token. Those on very
 * many go on in the background, with progress and a verdict on each task.
 */
@Path("bulk-actions")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class BulkActionsResource {
  /** Closes dead letters; all others are actions on tasks. */
  private static final String CLOSE_DEAD_LETTERS = "close_dead_letters";
  /** What errors say is for those who may read them. */
  private static final Set<String> OF_ERRORS = Set.of("error_type", "error_signature");

  private static final List<String> OUTCOMES = List.of("done", "already", "refused");

  @Inject
  private Operations operations;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Locations locations;

  @Requires(value = Permission.TASKS_ACT, in = Scope.ASKED)
  @POST
  @OncePerKey
  @Consumes(MediaType.APPLICATION_JSON)
  public Response preview(InputStream body) {
    JsonObject asked = bodies.object(body, "BulkActionRequest", BulkActionsResource::check);
    String action = asked.getString("action_type");
    String resolution = asked.getString("resolution_status", null);
    JsonObject filter = asked.getJsonObject("filter");
    String namespace = filter.getString("namespace", null);
    access.require(namespace);
    requireFor(action, namespace);
    if (OF_ERRORS.stream().anyMatch(filter::containsKey)) {
      access.require(Permission.STEPS_READ, namespace);
    }
    JsonObject counted = operations.preview(action, inOneForm(filter),
        asked.getString("requested_by"), asked.getString("reason"), access.caller().principal(),
        asked.getBoolean("background"), resolution);
    return locations.created("bulk-actions/" + counted.getString("token") + "/run", counted);
  }

  private static void check(JsonObject asked, Violations violations) {
    boolean isAbsent = Members.isAbsent(asked, "resolution_status");
    if (CLOSE_DEAD_LETTERS.equals(asked.getString("action_type", null)) == isAbsent) {
      violations.add("resolution_status",
          isAbsent ? "is required" : "is allowed for " + CLOSE_DEAD_LETTERS);
    }
  }

  /** In addition to {@code tasks:act}: the permissions that the same action needs on one task. */
  private void requireFor(String action, String namespace) {
    if ("cancel".equals(action) || "compensate".equals(action)) {
      access.require(Permission.TASKS_CANCEL, namespace);
    } else if (CLOSE_DEAD_LETTERS.equals(action)) {
      access.require(Permission.DLQ_UPDATE, namespace);
    }
  }

  /** With times in the canonical form, which Java and the database parse alike. */
  private static JsonObject inOneForm(JsonObject filter) {
    JsonObjectBuilder read = Json.build().createObjectBuilder(filter);
    filter.forEach((name, value) -> {
      if (name.startsWith("created_")) {
        read.add(name, Parameters.time(((JsonString) value).getString()).orElseThrow().toString());
      }
    });
    return read.build();
  }

  /** Runs once; a second call returns the first response. */
  @Requires(value = Permission.TASKS_ACT, in = Scope.BULK_ACTION)
  @POST
  @OncePerKey
  @Path("{token}/run")
  public Response run(@PathParam("token") UUID token) {
    String maker = access.caller().principal();
    // Checked here as well as at the dry run: the caller may have lost the permission in between.
    operations.bulkAction(token, maker)
        .ifPresent(bulk -> requireFor(bulk.action(), bulk.namespace()));
    JsonObject reply = operations.run(token, maker);
    return Response.status("started".equals(reply.getString("outcome")) ? 202 : 200)
        .entity(reply.toString()).build();
  }

  /** Those that were started, by every caller, in the namespaces where this one may act. */
  @Requires(value = Permission.TASKS_ACT, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    access.requireSomewhere();
    return operations.bulkActions(access.namespaces(Permission.TASKS_ACT),
        Parameters.number("limit", limit, 25, 1, 100), Parameters.optionalUuid("cursor", cursor))
        .toString();
  }

  @Requires(value = Permission.TASKS_ACT, in = Scope.BULK_ACTION)
  @GET
  @Path("{token}")
  public String describe(@PathParam("token") UUID token) {
    return operations.describeBulkAction(token).toString();
  }

  /** The verdicts by task. */
  @Requires(value = Permission.TASKS_ACT, in = Scope.BULK_ACTION)
  @GET
  @Path("{token}/tasks")
  public String tasks(@PathParam("token") UUID token, @QueryParam("outcome") String outcome,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    if (outcome != null && !OUTCOMES.contains(outcome)) {
      throw Problem.invalid("outcome", "must be " + String.join(" or ", OUTCOMES));
    }
    return operations.bulkActionTasks(token, outcome,
        Parameters.number("limit", limit, 100, 1, 1_000), Parameters.optionalUuid("cursor", cursor))
        .toString();
  }

  /** What it has not come to stays as it is. */
  @Requires(value = Permission.TASKS_ACT, in = Scope.BULK_ACTION)
  @DELETE
  @OncePerKey
  @Path("{token}")
  public String cancel(@PathParam("token") UUID token) {
    return operations.cancelBulkAction(token, access.caller().actor()).toString();
  }
}
