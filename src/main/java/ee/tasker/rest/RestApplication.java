package ee.tasker.rest;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Map;
import java.util.Set;

/**
 * Everything under {@code /v1}; what is beside it, pages and health checks, is the server's. Its classes are named one by one: an
 * application that names none also serves the resources of whoever lays a WAR over this one.
 */
@ApplicationPath("/v1")
public class RestApplication extends Application {

  /** One of the servers would else make an address of a {@code Location} that is a path, by the host that the request names; see {@link Locations}. Others do not know the word. */
  @Override
  public Map<String, Object> getProperties() {
    return Map.of("jersey.config.server.headers.location.relative.resolution.disabled", true);
  }

  @Override
  public Set<Class<?>> getClasses() {
    return Set.of(
        AnalyticsResource.class,
        BulkActionsResource.class,
        ConcurrencyPoliciesResource.class,
        DeadLettersResource.class,
        DeadMessagesResource.class,
        GrantsResource.class,
        EventsResource.class,
        HandlersResource.class,
        KeysResource.class,
        MeResource.class,
        PausesResource.class,
        RolesResource.class,
        QueuesResource.class,
        RetentionResource.class,
        ServersResource.class,
        TaskActionsResource.class,
        TaskBatchesResource.class,
        TaskEventsResource.class,
        TasksResource.class,
        TemplatesResource.class,
        UsersResource.class,
        WriteRequestsResource.class,
        WaitingServer.class,
        BodyTimeFilter.class,
        BodyTypeFilter.class,
        PermissionFilter.class,
        WriteLog.class,
        CorrelationEcho.class,
        ReplayMark.class,
        StreamHeaders.class,
        FaultMapper.class,
        ProblemMapper.class);
  }
}
