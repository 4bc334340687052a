package ee.tasker.rest.http;

import ee.tasker.platform.Problem;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
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
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Records each write request and its caller before it is executed, in a transaction of its own, and
 * afterwards its status.
 * A request that cannot be recorded is not executed. Task submissions are not recorded here: the
 * submitter is stored with
 * the task, in the same transaction.
 */
@Provider
@Priority(Priorities.AUTHORIZATION + 1)
public class WriteLog implements ContainerRequestFilter, ContainerResponseFilter {
  private static final Log LOG = Log.of(WriteLog.class);
  private static final String OBJECT = "ee.tasker.rest.object-of-write-request";
  private static final String ROOT = "/v1/";
  private static final String BEGUN = "ee.tasker.rest.write-request";
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  /** These change nothing, or are recorded elsewhere. */
  private static final Set<Permission> LEFT_OUT = Set.of(Permission.TASKS_CREATE,
      Permission.TEMPLATES_VALIDATE);

  @Inject
  private Administration administration;

  @Inject
  private Callers callers;

  @Context
  private HttpServletRequest request;

  @Context
  private ResourceInfo resource;

  /**
   * Says what a request is about whose path does not say it.
   *
   * @param segments of a path below {@code /v1/}, without those that are null
   */
  public static void isAbout(HttpServletRequest request, String... segments) {
    request.setAttribute(OBJECT, ROOT + Stream.of(segments).filter(Objects::nonNull)
        .map(Locations::segment).collect(Collectors.joining("/")));
  }

  @Override
  public void filter(ContainerRequestContext context) {
    begin(context);
  }

  private void begin(ContainerRequestContext context) {
    Requires required = resource.getResourceMethod() == null ? null
        : resource.getResourceMethod().getAnnotation(Requires.class);
    if (READING.contains(context.getMethod()) || resource.getResourceMethod() == null
        || required != null && LEFT_OUT.contains(required.value())
        || resource.getResourceMethod().isAnnotationPresent(Unlogged.class)
        || !(callers.verdict(request) instanceof Verdict.Known known)) {
      return;
    }
    try {
      context.setProperty(BEGUN, administration
          .begin(new WriteRequest(known.caller(), context.getMethod(), route(),
              request.getRequestURI(), request.getRemoteAddr())));
    } catch (Problem problem) {
      context.abortWith(ProblemDocument.of(problem, request.getRequestURI()));
    }
  }

  private String route() {
    Path onMethod = resource.getResourceMethod().getAnnotation(Path.class);
    return ROOT + resource.getResourceClass().getAnnotation(Path.class).value()
        + (onMethod == null ? "" : "/" + onMethod.value());
  }

  /** What was made, or what the resource said; null when the path says it. */
  private String object(ContainerResponseContext answer) {
    String location = answer.getHeaderString(Locations.HEADER);
    if (location != null && location.contains(ROOT)) {
      return location.substring(location.indexOf(ROOT));
    }
    return (String) request.getAttribute(OBJECT);
  }

  @Override
  public void filter(ContainerRequestContext context, ContainerResponseContext answer) {
    try {
      if (context.getProperty(BEGUN) == null && answer.getStatus() == 403) {
        begin(context);
      }
      if (context.getProperty(BEGUN) instanceof UUID begun) {
        administration.finish(begun, answer.getStatus(), object(answer));
      }
    } catch (Exception unreachable) {
      // The entry keeps a null status, which shows that its outcome is unknown.
      LOG.write(LogEvent.CALL_FAILED, unreachable, "call", "finish_write_request");
    }
  }
}
