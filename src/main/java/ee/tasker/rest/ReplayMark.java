package ee.tasker.rest;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;

/** Says of an answer that it is the one of an earlier time. Bound to no operation: the annotation of those that have such would make an interceptor of this, too. */
@Provider
public class ReplayMark implements ContainerResponseFilter {

  @Context
  private HttpServletRequest servletRequest;

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    if (servletRequest.getAttribute(RequestKeys.REPLAYED) != null) {
      answer.getHeaders().putSingle(RequestKeys.REPLAYED, "true");
    }
  }
}
