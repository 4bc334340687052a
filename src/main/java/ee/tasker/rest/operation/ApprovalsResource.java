package ee.tasker.rest.operation;

import ee.tasker.operation.Approvals;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
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
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The inbox of those who decide inside workflows. Giving an approval back or on needs
 * approvals:decide or approvals:assign, which the SQL functions judge.
 */
@Path("approvals")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class ApprovalsResource {
  private static final Set<String> STATES = Set.of("open", "approved", "rejected", "expired",
      "cancelled");
  private static final int MOST = 500;
  private static final String UUID_FORM = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
  private static final Pattern NEWEST_FIRST = Pattern.compile(UUID_FORM);
  /** A due time in microseconds and an approval. */
  private static final Pattern BY_DUE_TIME = Pattern.compile("([0-9]{20}|infinity)-" + UUID_FORM);

  @Inject
  private Approvals approvals;

  @Inject
  private RequestBodies bodies;

  @Inject
  private Access access;

  @Inject
  private Visibility visibility;

  @Requires(value = Permission.APPROVALS_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("state") String state, @QueryParam("namespace") String namespace,
      @QueryParam("mine") String mine, @QueryParam("claimed_by") String claimedBy,
      @QueryParam("due_before") String dueBefore, @QueryParam("task_uuid") String taskUuid,
      @QueryParam("title") String title, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    String states = state == null ? "open" : state;
    if (!Stream.of(states.split(",", -1)).allMatch(STATES::contains)) {
      throw Problem.invalid("state",
          "must be one or several of " + String.join(", ", STATES.stream().sorted().toList())
              + ", with commas between them");
    }
    if (mine != null && !Set.of("true", "false").contains(mine)) {
      throw Problem.invalid("mine", "must be true or false");
    }
    boolean byDueTime = "open".equals(states) || "true".equals(mine);
    if (cursor != null && !(byDueTime ? BY_DUE_TIME : NEWEST_FIRST).matcher(cursor).matches()) {
      throw Problem.invalid("cursor", "must be next of the previous page, with the same filters");
    }
    JsonObjectBuilder filter = Json.build().createObjectBuilder().add("state", states).add("mine",
        "true".equals(mine));
    Filters.add(filter, "namespace", namespace);
    Filters.add(filter, "claimed_by", claimedBy);
    Filters.add(filter, "title", title);
    if (dueBefore != null) {
      filter.add("due_before", Parameters.time(dueBefore)
          .orElseThrow(() -> Problem.invalid("due_before",
              "must be a time with an offset, as 2026-11-20T12:00:00Z"))
          .toString());
    }
    Filters.addUuid(filter, "task_uuid", "task_uuid", taskUuid);
    access.limit(filter);
    return approvals.list(filter.build(), access.approver(),
        Parameters.number("limit", limit, 50, 1, MOST), cursor).toString();
  }

  @Requires(value = Permission.APPROVALS_READ, in = Scope.APPROVAL)
  @GET
  @Path("{approval_uuid}")
  public String describe(@PathParam("approval_uuid") UUID approvalUuid) {
    return approvals.describe(approvalUuid, access.approver())
        .toString();
  }

  @Requires(value = Permission.APPROVALS_DECIDE, in = Scope.APPROVAL)
  @POST
  @OncePerKey(shows = Visibility.Content.APPROVAL)
  @Path("{approval_uuid}/claim")
  public String claim(@PathParam("approval_uuid") UUID approval) {
    return visibility.approval(approvals.claim(approval, access.approver())).toString();
  }

  @Requires(value = Permission.APPROVALS_READ, in = Scope.APPROVAL)
  @POST
  @OncePerKey(shows = Visibility.Content.APPROVAL)
  @Path("{approval_uuid}/unclaim")
  public String unclaim(@PathParam("approval_uuid") UUID approval) {
    return visibility.approval(approvals.unclaim(approval, access.approver())).toString();
  }

  @Requires(value = Permission.APPROVALS_READ, in = Scope.APPROVAL)
  @POST
  @OncePerKey(shows = Visibility.Content.APPROVAL)
  @Path("{approval_uuid}/delegate")
  @Consumes(MediaType.APPLICATION_JSON)
  public String delegate(@PathParam("approval_uuid") UUID approval, InputStream body) {
    JsonObject asked = bodies.object(body, "DelegationRequest");
    return visibility.approval(approvals.delegate(approval, access.approver(),
        asked.getString("to"), asked.getString("note", null))).toString();
  }

  @Requires(value = Permission.APPROVALS_DECIDE, in = Scope.APPROVAL)
  @POST
  @OncePerKey(shows = Visibility.Content.APPROVAL)
  @Path("{approval_uuid}/decide")
  @Consumes(MediaType.APPLICATION_JSON)
  public String decide(@PathParam("approval_uuid") UUID approval, InputStream body) {
    JsonObject decision = bodies.object(body, "DecisionRequest");
    return visibility.approval(approvals.decide(approval, access.approver(),
        decision.getBoolean("approved"),
        decision.get("values") instanceof JsonObject values ? values : null,
        decision.getString("comment", null))).toString();
  }
}
