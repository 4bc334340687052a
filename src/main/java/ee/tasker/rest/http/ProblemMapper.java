package ee.tasker.rest.http;

import ee.tasker.platform.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Maps a {@link Problem} that a facade threw. */
@Provider
public class ProblemMapper implements ExceptionMapper<Problem> {
  @Context
  private HttpServletRequest request;

  @Override
  public Response toResponse(Problem problem) {
    return ProblemDocument.of(problem, request.getRequestURI());
  }
}
