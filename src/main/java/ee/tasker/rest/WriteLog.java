package ee.tasker.rest;

import ee.tasker.platform.Log;
import ee.tasker.platform.LogEvent;
import ee.tasker.platform.Problem;
import ee.tasker.security.Administration;
import ee.tasker.security.Callers;
import ee.tasker.security.Permission;
import ee.tasker.security.Verdict;
import ee.tasker.security.WriteRequest;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;
import java.util.Set;
import java.util.UUID;

/**
 * Writes down who asks for a change, before it is made and in a transaction of its own, and how it was answered. What cannot be written down is not
 * done. Submissions of tasks are left out: who submitted a task is stored with it, in the same transaction.
 */
@Provider
@Priority(Priorities.AUTHORIZATION + 1)
public class WriteLog implements ContainerRequestFilter, ContainerResponseFilter {
  private static final Log LOG = Log.of(WriteLog.class);
  private static final String BEGUN = "ee.tasker.rest.write-request";
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  /** Those change nothing, or are written down elsewhere. */
  private static final Set<Permission> LEFT_OUT = Set.of(Permission.TASKS_CREATE, Permission.TEMPLATES_VALIDATE);

  @Inject
  private Administration administration;

  @Inject
  private Callers callers;

  @Context
  private HttpServletRequest request;

  @Context
  private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext context) {
    begin(context);
  }

  private void begin(ContainerRequestContext context) {
    Requires required = resource.getResourceMethod() == null ? null : resource.getResourceMethod().getAnnotation(Requires.class);
    if (READING.contains(context.getMethod()) || resource.getResourceMethod() == null
        || required != null && LEFT_OUT.contains(required.value())
        || !(callers.verdict(request) instanceof Verdict.Known known)) {
      return;
    }
    try {
      context.setProperty(BEGUN, administration
          .begin(new WriteRequest(known.caller(), context.getMethod(), route(), request.getRequestURI(), request.getRemoteAddr())));
    } catch (Problem problem) {
      context.abortWith(ProblemDocument.of(problem, request.getRequestURI()));
    }
  }

  private String route() {
    Path onMethod = resource.getResourceMethod().getAnnotation(Path.class);
    return "/v1/" + resource.getResourceClass().getAnnotation(Path.class).value() + (onMethod == null ? "" : "/" + onMethod.value());
  }

  @Override
  public void filter(ContainerRequestContext context, ContainerResponseContext answer) {
    try {
      if (context.getProperty(BEGUN) == null && answer.getStatus() == 403) {
        begin(context);
      }
      if (context.getProperty(BEGUN) instanceof UUID begun) {
        administration.finish(begun, answer.getStatus());
      }
    } catch (Exception unreachable) {
      // It stays without an answer, which says as much.
      LOG.write(LogEvent.CALL_FAILED, unreachable, "call", "finish_write_request");
    }
  }
}
