package ee.tasker.rest.http;

import ee.tasker.platform.Members;
import ee.tasker.platform.Problem;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import ee.tasker.security.Callers;
import ee.tasker.security.Verdict;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;
import java.util.UUID;

/** Enforces what the method of a route {@linkplain Requires requires}, before the body is read. */
@Provider
@Priority(Priorities.AUTHORIZATION)
public class PermissionFilter implements ContainerRequestFilter {
  private static final Log LOG = Log.of(PermissionFilter.class);

  @Inject
  private Access access;

  @Inject
  private Callers callers;

  @Context
  private HttpServletRequest request;

  @Context
  private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext context) {
    try {
      check(context);
    } catch (Problem problem) {
      if (problem.status() == 403) {
        LOG.write(LogEvent.ACCESS_DENIED, "caller", access.caller().actor(), "method",
            context.getMethod(), "path", request.getRequestURI(),
            "cause", problem.getMessage());
      }
      context.abortWith(ProblemDocument.of(problem, request.getRequestURI()));
    }
  }

  private void check(ContainerRequestContext context) {
    if (!(callers.verdict(request) instanceof Verdict.Known known)) {
      throw AccessFilter.refusal(callers.verdict(request));
    }
    Requires required = resource.getResourceMethod().getAnnotation(Requires.class);
    access.begin(known.caller(), required == null ? null : required.value(), request);
    if (required == null) {
      if (resource.getResourceMethod().isAnnotationPresent(ForEveryCaller.class)) {
        return;
      }
      throw Problem.of(403, "not-permitted", "no caller may do this");
    }
    switch (required.in()) {
      case EVERYWHERE -> access.requireEverywhere();
      case ASKED -> access.requireSomewhere();
      case NAMESPACE -> access.require(parameter(context, "namespace"));
      case TASK -> uuid(context, "task_uuid", access::requireForTask);
      case DEAD_LETTER -> uuid(context, "dlq_entry_uuid", access::requireForDeadLetter);
      case APPROVAL -> uuid(context, "approval_uuid", access::requireForApproval);
      case SCHEDULE -> uuid(context, "schedule_uuid", access::requireForSchedule);
      case WEBHOOK -> uuid(context, "webhook_uuid", access::requireForWebhook);
      case POLICY -> uuid(context, "policy_uuid", access::requireForPolicy);
      case BULK_ACTION -> uuid(context, "token", access::requireForBulkAction);
    }
  }

  /** An invalid uuid belongs to no namespace: the method reports that it is invalid. */
  private void uuid(ContainerRequestContext context, String name,
      java.util.function.Consumer<UUID> check) {
    String value = parameter(context, name);
    if (Members.isUuid(value)) {
      check.accept(UUID.fromString(value));
    } else {
      access.requireSomewhere();
    }
  }

  private static String parameter(ContainerRequestContext context, String name) {
    return context.getUriInfo().getPathParameters().getFirst(name);
  }
}
