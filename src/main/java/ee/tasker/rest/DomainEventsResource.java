package ee.tasker.rest;

import ee.tasker.event.DomainEvents;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.rest.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import java.util.Set;

/**
 * The feed of domain events, of the namespaces where the caller may read tasks. Their data come from contexts and results, and are shown to who
 * may read both.
 */
@Path("domain-events")
@Produces(MediaType.APPLICATION_JSON)
@RequestScoped
public class DomainEventsResource {
  @Inject
  private DomainEvents events;

  @Inject
  private Access access;

  @Inject
  private Visibility visibility;

  @Context
  private UriInfo uri;

  @Requires(value = Permission.TASKS_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name, @QueryParam("type") String type,
      @QueryParam("task") String task, @QueryParam("correlation_id") String correlationId, @QueryParam("with_error") String withError,
      @QueryParam("limit") String limit, @QueryParam("cursor") String cursor) {
    Parameters.checkKnown(uri, Set.of("namespace", "name", "type", "task", "correlation_id", "with_error", "limit", "cursor"));
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    add(filter, "namespace", namespace);
    add(filter, "name", name);
    add(filter, "type", type);
    if (task != null) {
      filter.add("task_uuid", Parameters.uuid("task", task).toString());
    }
    if (correlationId != null) {
      filter.add("correlation_id", Parameters.uuid("correlation_id", correlationId).toString());
    }
    if (withError != null) {
      if (!Set.of("true", "false").contains(withError)) {
        throw Problem.invalid("with_error", "must be one of false, true");
      }
      filter.add("with_error", withError);
    }
    access.limit(filter);
    int most = Parameters.number("limit", limit, 100, 1, 1_000);
    long after = position(cursor);
    events.sequence();
    JsonObject page = events.list(filter.build(), most, after);
    return visibility.domainEvents(page).toString();
  }

  private static void add(JsonObjectBuilder filter, String name, String value) {
    if (value != null) {
      filter.add(name, value);
    }
  }

  private static long position(String cursor) {
    if (cursor == null) {
      return 0;
    }
    if (!cursor.matches("[0-9]{1,18}")) {
      throw Problem.invalid("cursor", "must be next or position of an earlier page: a whole number of at most 18 digits");
    }
    return Long.parseLong(cursor);
  }
}
