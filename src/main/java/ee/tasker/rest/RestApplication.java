package ee.tasker.rest;

import ee.tasker.rest.access.GrantsResource;
import ee.tasker.rest.access.KeysResource;
import ee.tasker.rest.access.MeResource;
import ee.tasker.rest.access.RolesResource;
import ee.tasker.rest.access.SessionResource;
import ee.tasker.rest.access.UsersResource;
import ee.tasker.rest.access.WriteRequestsResource;
import ee.tasker.rest.http.BodyTimeFilter;
import ee.tasker.rest.http.BodyTypeFilter;
import ee.tasker.rest.http.CorrelationEcho;
import ee.tasker.rest.http.FaultMapper;
import ee.tasker.rest.http.Locations;
import ee.tasker.rest.http.PermissionFilter;
import ee.tasker.rest.http.ProblemMapper;
import ee.tasker.rest.http.ReplayMark;
import ee.tasker.rest.http.StaleReadsFilter;
import ee.tasker.rest.http.WaitingServer;
import ee.tasker.rest.http.WriteLog;
import ee.tasker.rest.operation.AnalyticsResource;
import ee.tasker.rest.operation.ApprovalsResource;
import ee.tasker.rest.operation.BulkActionsResource;
import ee.tasker.rest.operation.DeadLettersResource;
import ee.tasker.rest.operation.DeadMessagesResource;
import ee.tasker.rest.operation.FailuresResource;
import ee.tasker.rest.operation.RetentionResource;
import ee.tasker.rest.operation.ViewsResource;
import ee.tasker.rest.stream.DomainEventsResource;
import ee.tasker.rest.stream.EventsResource;
import ee.tasker.rest.stream.StreamHeaders;
import ee.tasker.rest.stream.TaskEventsResource;
import ee.tasker.rest.stream.WebhooksResource;
import ee.tasker.rest.task.OpenDocumentsResource;
import ee.tasker.rest.task.SchedulesResource;
import ee.tasker.rest.task.SignalsResource;
import ee.tasker.rest.task.TaskActionsResource;
import ee.tasker.rest.task.TaskBatchesResource;
import ee.tasker.rest.task.TaskChildrenResource;
import ee.tasker.rest.task.TaskCountResource;
import ee.tasker.rest.task.TaskErasureResource;
import ee.tasker.rest.task.TaskErasuresResource;
import ee.tasker.rest.task.TaskForksResource;
import ee.tasker.rest.task.TaskSignalsResource;
import ee.tasker.rest.task.TasksResource;
import ee.tasker.rest.task.TemplatesResource;
import ee.tasker.rest.work.ConcurrencyPoliciesResource;
import ee.tasker.rest.work.HandlersResource;
import ee.tasker.rest.work.PausesResource;
import ee.tasker.rest.work.QueuesResource;
import ee.tasker.rest.work.ServersResource;
import ee.tasker.rest.work.WorkersResource;
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
        ParameterFilter.class,
        WriteLog.class,
        CorrelationEcho.class,
        ReplayMark.class,
        StaleReadsFilter.class,
        StreamHeaders.class,
        FaultMapper.class,
        ProblemMapper.class);
  }
}
