package ee.tasker.rest.stream;

import ee.tasker.event.EventFilter;
import ee.tasker.event.EventStreams;
import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Filters;
import ee.tasker.rest.http.Parameters;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Transitions of all tasks and steps as server-sent events. */
@Path("events")
@RequestScoped
public class EventsResource {
  static final String LAST_EVENT_ID = "Last-Event-ID";
  /** The address of a stream with so many ids stays below the limits of all servers. */
  static final int MOST_TASKS = 50;

  @Inject
  private EventStreams streams;

  @Inject
  private Access access;

  @Requires(value = Permission.TASKS_READ, in = Scope.ASKED)
  @GET
  @Streaming
  @Produces(MediaType.SERVER_SENT_EVENTS)
  public void stream(@Context SseEventSink sink, @Context Sse sse,
      @HeaderParam(LAST_EVENT_ID) String lastEventId,
      @QueryParam("last_event_id") String lastEventIdInQuery,
      @QueryParam("namespace") String namespace, @QueryParam("name") String name,
      @QueryParam("version") String version, @QueryParam("kind") String kind,
      @QueryParam("correlation_id") String correlationId,
      @QueryParam("task_uuid") List<String> taskUuids,
      @QueryParam("stream_uuid") String streamUuid) {
    if (kind != null && !Set.of("task", "step").contains(kind)) {
      throw Problem.invalid("kind", "must be task or step");
    }
    if (taskUuids.size() > MOST_TASKS) {
      throw Problem.invalid("task_uuid", "must be given at most " + MOST_TASKS + " times");
    }
    Set<UUID> among = taskUuids.stream().map(id -> Parameters.uuid("task_uuid", id))
        .collect(Collectors.toSet());
    access.require(namespace);
    Map<String, String> members = new HashMap<>();
    put(members, "namespace", namespace);
    put(members, "name", name);
    put(members, "version", version);
    put(members, "kind", kind);
    put(members, "correlation_id",
        correlationId == null ? null : Parameters.uuid("correlation_id", correlationId).toString());
    Recheck<?> permission = access.recheck(namespace);
    Optional<String> stream = Optional.ofNullable(streamUuid)
        .map(id -> access.caller().name() + " " + Parameters.uuid("stream_uuid", id));
    open(lastEventId, lastEventIdInQuery,
        after -> streams.open(new EventFilter(Optional.empty(), among, members), stream, after,
            Optional.empty(), permission,
            new SseSink(sink, sse)));
  }

  private static void put(Map<String, String> members, String name, String value) {
    if (value != null) {
      members.put(name, Filters.bounded(name, value));
    }
  }

  /**
   * The header, which a browser sends when it reconnects, is newer than the query parameter. A
   * problem names the one that
   * was read.
   */
  static void open(String header, String parameter, Consumer<Optional<String>> stream) {
    Optional<String> after = Optional.ofNullable(header).or(() -> Optional.ofNullable(parameter))
        .filter(id -> !id.isBlank());
    try {
      stream.accept(after);
    } catch (Problem refused) {
      if (header == null && refused.violations().stream()
          .anyMatch(violation -> EventStreams.ID.equals(violation.field()))) {
        throw Problem.invalid("last_event_id", refused.violations().get(0).message());
      }
      throw refused;
    }
  }
}
