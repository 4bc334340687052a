package ee.tasker.rest.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.ext.Provider;
import java.util.regex.Pattern;

/**
 * Returns the {@code X-Correlation-Id} of the request in the response, so that the client can match
 * the two.
 */
@Provider
public class CorrelationEcho implements ContainerResponseFilter {
  /** Safe in a header and in a log line. */
  private static final Pattern PLAIN = Pattern.compile("[!-~]{1,128}");

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext answer) {
    String id = request.getHeaderString(RequestTrace.CORRELATION_ID);
    if (id != null && PLAIN.matcher(id).matches()) {
      answer.getHeaders().putSingle(RequestTrace.CORRELATION_ID, id);
    }
  }
}
