package ee.tasker.rest.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;

/**
 * Marks a replayed response with a header. Not bound by the annotation of idempotent operations,
 * which would make this an
 * interceptor of them too.
 */
@Provider
public class ReplayMark implements ContainerResponseFilter {

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    // A request attribute, read from the given context: the response of a stream may start on a
    // thread without a request of
    // its own.
    if (request.getProperty(RequestKeys.REPLAYED) != null) {
      answer.getHeaders().putSingle(RequestKeys.REPLAYED, "true");
    }
  }
}
