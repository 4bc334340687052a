package ee.tasker.rest;

import ee.tasker.platform.Problem;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Shows what a facade refused. */
@Provider
public class ProblemMapper implements ExceptionMapper<Problem> {
  @Context
  private UriInfo uri;

  @Override
  public Response toResponse(Problem problem) {
    return ProblemDocument.of(problem, uri.getRequestUri().getPath());
  }
}
