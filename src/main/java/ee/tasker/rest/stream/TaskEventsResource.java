package ee.tasker.rest.stream;

import ee.tasker.engine.model.TaskState;
import ee.tasker.event.EventFilter;
import ee.tasker.event.EventStreams;
import ee.tasker.platform.Recheck;
import ee.tasker.rest.http.Access;
import ee.tasker.rest.http.Requires;
import ee.tasker.rest.http.Requires.Scope;
import ee.tasker.security.Permission;
import ee.tasker.task.Tasks;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The transitions of one task, from beginning to end, as server-sent events. */
@Path("tasks")
@RequestScoped
public class TaskEventsResource {

  @Inject
  private EventStreams streams;

  @Inject
  private Tasks tasks;

  @Inject
  private Access access;

  @Requires(value = Permission.TASKS_READ, in = Scope.TASK)
  @GET
  @Streaming
  @Path("{task_uuid}/events")
  @Produces(MediaType.SERVER_SENT_EVENTS)
  public void stream(@PathParam("task_uuid") UUID task, @Context SseEventSink sink,
      @Context Sse sse, @HeaderParam(EventsResource.LAST_EVENT_ID) String lastEventId,
      @QueryParam("last_event_id") String lastEventIdInQuery) {
    TaskState state = tasks.state(task).orElseThrow(() -> Tasks.notFound(task));
    Recheck<?> permission = access.recheckForTask(task);
    EventsResource.open(lastEventId, lastEventIdInQuery,
        after -> streams.open(new EventFilter(Optional.of(task), Map.of()), Optional.empty(), after,
            Optional.of(state.word()), permission,
            new SseSink(sink, sse)));
  }
}
