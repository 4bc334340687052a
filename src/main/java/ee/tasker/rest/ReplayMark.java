package ee.tasker.rest;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;

/** Says of an answer that it is the one of an earlier time. Bound to no operation: the annotation of those that have such would make an interceptor of this, too. */
@Provider
public class ReplayMark implements ContainerResponseFilter {

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    // An attribute of the request, asked of the context that is given: the answer of a stream may be begun by a thread that has no request of its own.
    if (request.getProperty(RequestKeys.REPLAYED) != null) {
      answer.getHeaders().putSingle(RequestKeys.REPLAYED, "true");
    }
  }
}
