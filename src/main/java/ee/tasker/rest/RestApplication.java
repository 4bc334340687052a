package ee.tasker.rest;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Map;
import java.util.Set;

/**
 * The JAX-RS application under {@code /v1}; pages and health checks are outside it. It lists its
 * classes explicitly: an
 * application that lists none would also serve the resources of a WAR that overlays this one.
 */
@ApplicationPath("/v1")
public class RestApplication extends Application {

  /**
   * Stops one server from making a relative {@code Location} absolute with the request's host; see
   * {@link Locations}. The
   * others ignore this property.
   */
  @Override
  public Map<String, Object> getProperties() {
    return Map.of("jersey.config.server.headers.location.relative.resolution.disabled", true);
  }

  @Override
  public Set<Class<?>> getClasses() {
    return Set.of(
        AnalyticsResource.class,
        ApprovalsResource.class,
        BulkActionsResource.class,
        ConcurrencyPoliciesResource.class,
        DeadLettersResource.class,
        DeadMessagesResource.class,
        GrantsResource.class,
        EventsResource.class,
        HandlersResource.class,
        KeysResource.class,
        MeResource.class, OpenDocumentsResource.class,
        PausesResource.class,
        RolesResource.class,
        QueuesResource.class,
        RetentionResource.class,
        SchedulesResource.class,
        WebhooksResource.class,
        ServersResource.class,
        SignalsResource.class,
        SessionResource.class,
        TaskActionsResource.class,
        TaskBatchesResource.class,
        TaskEventsResource.class,
        TaskErasureResource.class, TaskErasuresResource.class, TaskForksResource.class,
        TaskChildrenResource.class,
        TaskSignalsResource.class,
        TaskCountResource.class,
        DomainEventsResource.class,
        FailuresResource.class,
        ViewsResource.class,
        TasksResource.class,
        TemplatesResource.class,
        UsersResource.class,
        WorkersResource.class,
        WriteRequestsResource.class,
        WaitingServer.class,
        BodyTimeFilter.class,
        BodyTypeFilter.class,
        PermissionFilter.class,
        WriteLog.class,
        CorrelationEcho.class,
        ReplayMark.class,
        StaleReadsFilter.class,
        StreamHeaders.class,
        FaultMapper.class,
        ProblemMapper.class);
  }
}
