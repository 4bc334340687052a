package ee.tasker.rest.http;

import ee.tasker.platform.config.Settings;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;

/**
 * Limits the {@linkplain TimedBody time} of a request body. A response sent before the whole body
 * has arrived closes the
 * connection: otherwise the application server would wait for the rest, in some cases as long as it
 * trickles in, and block
 * the request's thread.
 */
@Provider
@Priority(Priorities.AUTHENTICATION)
public class BodyTimeFilter implements ContainerRequestFilter, ContainerResponseFilter {
  private static final String BODY = "ee.tasker.body";

  @Inject
  private BodyWatch watch;

  @Inject
  private Settings settings;

  @Context
  private HttpServletRequest servletRequest;

  @Override
  public void filter(ContainerRequestContext request) {
    if (UnreadBodies.hasBody(servletRequest)) {
      TimedBody body = watch.timed(request.getEntityStream(),
          servletRequest.getContentLengthLong());
      request.setEntityStream(body);
      request.setProperty(BODY, body);
    }
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    boolean isWhole = request.getProperty(BODY) instanceof TimedBody body
        ? body.finish((long) settings.maxBodyBytes() * RequestBodies.BODY_TIMES)
        : !UnreadBodies.hasBody(servletRequest);
    if (!isWhole) {
      answer.getHeaders().putSingle(UnreadBodies.CONNECTION, UnreadBodies.CLOSE);
    }
  }
}
