package ee.tasker.rest.stream;

import ee.tasker.event.DomainEventFilter;
import ee.tasker.event.DomainEventStreams;
import ee.tasker.event.DomainEventView;
import ee.tasker.event.DomainEvents;
import ee.tasker.event.EventStreams;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.rest.http.Visibility;
import ee.tasker.security.Caller;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The feed of domain events, of the namespaces where the caller may read tasks, as pages and as a
 * stream. Data that come from contexts and results are
 * shown to who may read both.
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

  @Inject
  private DomainEventStreams streams;

  @Requires(value = Permission.TASKS_READ, in = Scope.ASKED)
  @GET
  public String list(@QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("type") String type, @QueryParam("task") String task,
      @QueryParam("correlation_id") String correlationId,
      @QueryParam("with_error") String withError, @QueryParam("limit") String limit,
      @QueryParam("cursor") String cursor) {
    JsonObjectBuilder filter = Json.build().createObjectBuilder();
    Filters.add(filter, "namespace", namespace);
    Filters.add(filter, "name", name);
    Filters.add(filter, "type", type);
    Filters.addUuid(filter, "task", "task_uuid", task);
    Filters.addUuid(filter, "correlation_id", "correlation_id", correlationId);
    Boolean hasError = flag("with_error", withError);
    if (hasError != null) {
      filter.add("with_error", hasError);
    }
    access.limit(filter);
    JsonArray schedules = access.namespaces(Permission.SCHEDULES_READ);
    if (schedules != null) {
      filter.add("schedules_in", schedules);
    }
    int most = Parameters.number("limit", limit, 100, 1, 1_000);
    long after = position(cursor);
    events.sequence();
    JsonObject page = events.list(filter.build(), most, after);
    return visibility.domainEvents(page).toString();
  }

  /** What is published from now on, or behind a position, as server-sent events. */
  @Requires(value = Permission.TASKS_READ, in = Scope.ASKED)
  @GET
  @Path("stream")
  @Streaming
  @Produces(MediaType.SERVER_SENT_EVENTS)
  public void stream(@Context SseEventSink sink, @Context Sse sse,
      @HeaderParam(EventsResource.LAST_EVENT_ID) String lastEventId,
      @QueryParam("last_event_id") String lastEventIdInQuery,
      @QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("type") String type, @QueryParam("task") String task,
      @QueryParam("correlation_id") String correlationId,
      @QueryParam("with_error") String withError) {
    if (namespace != null) {
      access.require(namespace);
    }
    Map<String, String> members = new HashMap<>();
    members.put("taskernamespace", namespace);
    members.put("taskertemplate", name);
    members.put("type", type);
    members.put("subject", task == null ? null : Parameters.uuid("task", task).toString());
    members.put("taskercorrelation",
        correlationId == null ? null : Parameters.uuid("correlation_id", correlationId).toString());
    members.values().removeIf(Objects::isNull);
    DomainEventView view = view(access.caller());
    Recheck<DomainEventView> permission = access
        .recheck(
            caller -> Optional.of(caller).filter(now -> now.grants().may(Permission.TASKS_READ))
                .map(DomainEventsResource::view));
    EventsResource.open(lastEventId, lastEventIdInQuery,
        after -> streams.open(new DomainEventFilter(members, flag("with_error", withError)),
            after.map(DomainEventsResource::id).map(OptionalLong::of)
                .orElseGet(OptionalLong::empty),
            view, permission, new SseSink(sink, sse)));
  }

  private static DomainEventView view(Caller caller) {
    return event -> Visibility.domainEvent(caller, event);
  }

  private static Boolean flag(String name, String value) {
    if (value != null && !Set.of("true", "false").contains(value)) {
      throw Problem.invalid(name, "must be one of false, true");
    }
    return value == null ? null : Boolean.valueOf(value);
  }

  private static long id(String id) {
    if (!id.matches("[0-9]{1,18}")) {
      throw Problem.invalid(EventStreams.ID,
          "must be the id of an event of this stream, or a position of the feed");
    }
    return Long.parseLong(id);
  }

  private static long position(String cursor) {
    if (cursor == null) {
      return 0;
    }
    if (!cursor.matches("[0-9]{1,18}")) {
      throw Problem.invalid("cursor",
          "must be next or position of an earlier page: a whole number of at most 18 digits");
    }
    return Long.parseLong(cursor);
  }
}
