package ee.tasker.rest.stream;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;

/** Asks proxies to pass every event on without buffering. */
@Streaming
@Provider
public class StreamHeaders implements ContainerResponseFilter {

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    answer.getHeaders().putSingle("Cache-Control", "no-store");
    answer.getHeaders().putSingle("X-Accel-Buffering", "no");
  }
}
