package ee.tasker.rest;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;
import java.util.regex.Pattern;

/** Answers with the {@code X-Correlation-Id} that a request came with, so that who sent it finds the two together. */
@Provider
public class CorrelationEcho implements ContainerResponseFilter {
  /** What can be in a header and in a line of a log without steering either. */
  private static final Pattern PLAIN = Pattern.compile("[!-~]{1,128}");

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    String id = request.getHeaderString(RequestTrace.CORRELATION_ID);
    if (id != null && PLAIN.matcher(id).matches()) {
      answer.getHeaders().putSingle(RequestTrace.CORRELATION_ID, id);
    }
  }
}
