package ee.tasker.rest.http;

import ee.tasker.platform.thread.StartSequence;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;

/**
 * While this server waits for its database at startup, it answers every request with 503 and a
 * retry delay.
 */
@Provider
@PreMatching
public class WaitingServer implements ContainerRequestFilter {
  @Inject
  private StartSequence start;

  @Context
  private HttpServletRequest request;

  @Override
  public void filter(ContainerRequestContext context) {
    if (start.isWaiting()) {
      context
          .abortWith(ProblemDocument.of(StartSequence.waitingProblem(), request.getRequestURI()));
    }
  }
}
