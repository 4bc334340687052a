package ee.tasker.rest.http;

import ee.tasker.platform.Problem;
import ee.tasker.platform.sql.StaleReads;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;
import java.time.Duration;
import java.util.Locale;

/**
 * Reads how stale the answer may be, and tells how stale it is if it came from the replica. Other
 * methods ignore the header.
 */
@Provider
@Priority(Priorities.AUTHORIZATION + 1)
public class StaleReadsFilter implements ContainerRequestFilter, ContainerResponseFilter {
  /** The header of a request that allows a response to be stale, in seconds. */
  public static final String ALLOWED = "Tasker-Max-Staleness";
  /** The header of a response that may be stale: by how many seconds. */
  public static final String STALENESS = "Tasker-Staleness";
  private static final int MOST_SECONDS = 3_600;

  @Inject
  private StaleReads staleReads;

  @Context
  private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext request) {
    String allowed = request.getHeaderString(ALLOWED);
    if (allowed == null || !resource.getResourceMethod().isAnnotationPresent(MayBeStale.class)) {
      return;
    }
    try {
      staleReads.allow(
          Duration.ofSeconds(Parameters.number(ALLOWED, allowed.strip(), 0, 0, MOST_SECONDS)));
      request.setProperty(ALLOWED, true);
    } catch (Problem problem) {
      request.abortWith(
          ProblemDocument.of(problem, request.getUriInfo().getRequestUri().getRawPath()));
    }
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    // A request attribute: the response of a stream may start on a thread without a request of its
    // own.
    if (request.getProperty(ALLOWED) != null) {
      staleReads.staleness().ifPresent(staleness -> answer.getHeaders().putSingle(STALENESS,
          String.format(Locale.ROOT, "%.3f", staleness.toNanos() / 1e9)));
    }
  }
}
