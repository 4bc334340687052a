package ee.tasker.rest.http;

import jakarta.annotation.Priority;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.NotSupportedException;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.ext.Provider;

/**
 * A body without a media type matches no {@linkplain Consumes}: some application servers refuse it
 * themselves, others
 * accept it as any type.
 */
@Provider
@Priority(Priorities.AUTHORIZATION - 1)
public class BodyTypeFilter implements ContainerRequestFilter {
  @Context
  private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext request) {
    if (request.getMediaType() == null
        && resource.getResourceMethod().isAnnotationPresent(Consumes.class)
        && request.hasEntity()) {
      throw new NotSupportedException();
    }
  }
}
