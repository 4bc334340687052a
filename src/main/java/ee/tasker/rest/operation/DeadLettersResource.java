package ee.tasker.rest.operation;

import ee.tasker.operation.DeadLetters;
import ee.tasker.platform.Author;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Refusals;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Authors;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Listing;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.MayBeStale;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.RequestBodies;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PATCH;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.InputStream;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Investigations of tasks: find, open, close and count them; and list the tasks that are past their
 * SLA.
 */
@Path("dlq")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class DeadLettersResource {
  static final Set<String> REASONS = Set.of("staleness_timeout", "max_retries_exceeded",
      "permanent_failure", "dependency_cycle_detected",
      "worker_unavailable", "manual_dlq");
  static final Set<String> STATUSES = Set.of("pending", "manually_resolved", "permanently_failed",
      "cancelled");
  private static final int MOST = 500;
  /** A time in microseconds and a task. */
  private static final Pattern LATE_CURSOR = Pattern
      .compile("[0-9]{1,17}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  @Inject
  private DeadLetters deadLetters;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Locations locations;

  @Inject
  private Visibility visibility;

  @Requires(value = Permission.DLQ_READ, in = Scope.ASKED)
  @MayBeStale
  @GET
  public String list(@QueryParam("resolution_status") String status,
      @QueryParam("dlq_reason") String reason, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.addWord(filter, "resolution_status", status, STATUSES);
    Filters.addWord(filter, "dlq_reason", reason, REASONS);
    access.limit(filter);
    return visibility.deadLetters(
        deadLetters.list(filter.build(), Parameters.number("limit", limit, 50, 1, MOST),
            Parameters.optionalUuid("cursor", cursor)))
        .toString();
  }

  /**
   * Opens an investigation of a task; 200 with the open investigation when there is one already.
   */
  @Requires(value = Permission.DLQ_UPDATE, in = Scope.ASKED)
  @POST
  @OncePerKey(shows = Visibility.Content.DEAD_LETTER)
  @Consumes(MediaType.APPLICATION_JSON)
  public Response open(InputStream body) {
    JsonObject asked = bodies.object(body, "DeadLetterRequest");
    Author author = Authors.of(asked);
    UUID uuid = Json.uuid(asked, "task_uuid");
    access.requireForTask(uuid);
    JsonObject reply = deadLetters.open(uuid, author.by(), author.reason());
    String entry = reply.getString("dlq_entry_uuid");
    return Response.status("done".equals(Refusals.outcome(reply)) ? 201 : 200)
        .header(Locations.HEADER, locations.of("dlq/entry/" + entry)).entity(entry(entry))
        .build();
  }

  @Requires(value = Permission.DLQ_READ, in = Scope.TASK)
  @GET
  @Path("task/{task_uuid}")
  public String ofTask(@PathParam("task_uuid") UUID task) {
    return deadLetters
        .find(Json.build().createObjectBuilder().add("task_uuid", task.toString()).build())
        .map(visibility::deadLetter)
        .orElseThrow(() -> DeadLetters.notFound("there is no dead letter about a task " + task))
        .toString();
  }

  @Requires(value = Permission.DLQ_READ, in = Scope.DEAD_LETTER)
  @GET
  @Path("entry/{dlq_entry_uuid}")
  public String describe(@PathParam("dlq_entry_uuid") UUID entryUuid) {
    return entry(entryUuid.toString());
  }

  private String entry(String uuid) {
    return deadLetters.find(Json.build().createObjectBuilder().add("dlq_entry_uuid", uuid).build())
        .map(visibility::deadLetter)
        .orElseThrow(() -> DeadLetters.notFound(UUID.fromString(uuid))).toString();
  }

  @Requires(value = Permission.DLQ_UPDATE, in = Scope.DEAD_LETTER)
  @PATCH
  @OncePerKey(shows = Visibility.Content.DEAD_LETTER)
  @Path("entry/{dlq_entry_uuid}")
  @Consumes(MediaType.APPLICATION_JSON)
  public String update(@PathParam("dlq_entry_uuid") UUID entry, InputStream body) {
    JsonObject asked = bodies.object(body, "DeadLetterUpdate");
    deadLetters.update(entry, asked.getString("resolution_status", null),
        asked.getString("resolved_by"), asked.getString("resolution_notes"),
        asked.get("metadata") instanceof JsonObject metadata ? metadata : null);
    return entry(entry.toString());
  }

  @Requires(value = Permission.DLQ_STATS, in = Scope.EVERYWHERE)
  @GET
  @Path("stats")
  public String statistics() {
    return Listing.whole("reasons", deadLetters.statistics()).toString();
  }

  @Requires(value = Permission.DLQ_READ, in = Scope.EVERYWHERE)
  @GET
  @Path("investigation-queue")
  public String investigationQueue(@QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    return deadLetters
        .investigationQueue(Parameters.number("limit", limit, 50, 1, MOST),
            Parameters.optionalUuid("cursor", cursor))
        .toString();
  }

  @Requires(value = Permission.DLQ_READ, in = Scope.EVERYWHERE)
  @GET
  @Path("staleness")
  public String staleness(@QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    if (cursor != null && !LATE_CURSOR.matcher(cursor).matches()) {
      throw Problem.invalid("cursor", "must be next of the previous page");
    }
    return deadLetters.staleness(Parameters.number("limit", limit, 50, 1, MOST), cursor).toString();
  }
}
