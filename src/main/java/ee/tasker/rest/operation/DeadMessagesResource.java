package ee.tasker.rest.operation;

import ee.tasker.message.DeadMessages;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.OncePerKey;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.Set;
import java.util.UUID;

/** Dead messages over HTTP: list them and send them again. */
@Path("dead-messages")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class DeadMessagesResource {
  private static final int LONGEST_NAME = 128;

  @Inject
  private DeadMessages messages;

  @Inject
  private Access access;

  @Inject
  private Visibility visibility;

  @Requires(value = Permission.MESSAGES_READ, in = Scope.EVERYWHERE)
  @GET
  public String list(@QueryParam("queue_name") String queue,
      @QueryParam("replayed") String replayed, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    if (replayed != null && !Set.of("true", "false").contains(replayed)) {
      throw Problem.invalid("replayed", "must be true or false");
    }
    return visibility.deadMessages(messages.list(
        Filters.bounded("queue_name", queue), Boolean.parseBoolean(replayed),
        Parameters.number("limit", limit, 25, 1, 100), Parameters.optionalUuid("cursor", cursor)))
        .toString();
  }

  @Requires(value = Permission.MESSAGES_REPLAY, in = Scope.EVERYWHERE)
  @POST
  @OncePerKey
  @Path("{dead_message_uuid}/replay")
  public String replay(@PathParam("dead_message_uuid") UUID uuid,
      @QueryParam("requested_by") String requestedBy) {
    if (requestedBy != null && requestedBy.length() > LONGEST_NAME) {
      throw Problem.invalid("requested_by", "must have at most " + LONGEST_NAME + " characters");
    }
    messages.replay(uuid,
        requestedBy == null || requestedBy.isBlank() ? access.caller().actor() : requestedBy);
    return Json.build().createObjectBuilder().add("dead_message_uuid", uuid.toString())
        .add("replayed", true).build().toString();
  }
}
