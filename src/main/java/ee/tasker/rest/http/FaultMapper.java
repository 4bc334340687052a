package ee.tasker.rest.http;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Problem;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.util.Map;
import java.util.UUID;

/**
 * Maps all other exceptions: those of JAX-RS by their status, and faults to 500, or to 503 when the
 * database is to blame:
 * it cannot be used at present, ended the statement for a reason of its own, or did not confirm a
 * commit. The response to a
 * fault contains an id that is also in the log line, never a stack trace or SQL.
 */
@Provider
public class FaultMapper implements ExceptionMapper<Throwable> {
  private static final Log LOG = Log.of(FaultMapper.class);
  static final String UNAVAILABLE = "unavailable";
  private static final String OUTAGE = "the database cannot be reached; try again later";
  private static final String AT_PRESENT = "the database cannot do this at present, and nothing was changed; try again later";
  private static final String LOCKED = "another call works on the same task or object and has not ended; nothing was changed, try again";
  private static final Map<Integer, String> CODES = Map.of(
      400, "invalid-request", 404, "no-such-path", 405, "method-not-allowed", 406, "not-acceptable",
      413, "body-too-large",
      415, "unsupported-media-type", 503, UNAVAILABLE);
  private static final Map<Integer, String> DETAILS = Map.of(
      400, "the request is malformed", 404, "there is no resource at this path", 405,
      "method not allowed; the header Allow lists the supported methods",
      406, "the response is not available in any media type of the header Accept", 413,
      "the body is too long",
      415, "unsupported content type");

  /** Not UriInfo, which fails when the URI itself is invalid. */
  @Context
  private HttpServletRequest request;

  @Override
  public Response toResponse(Throwable fault) {
    String path = request.getRequestURI();
    if (causeOf(fault, Problem.class) instanceof Problem problem) {
      return ProblemDocument.of(problem, path);
    }
    if (fault instanceof WebApplicationException refused
        && refused.getResponse().getStatus() < 500) {
      int status = refused.getResponse().getStatus();
      // Not the exception's message, which differs between application servers and may name
      // classes.
      Response answer = ProblemDocument.of(status, code(status), detail(status), path);
      String allow = refused.getResponse().getHeaderString("Allow");
      return allow == null ? answer : Response.fromResponse(answer).header("Allow", allow).build();
    }
    if (isTransient(fault)) {
      LOG.write(LogEvent.CALL_FAILED, fault, "call", request.getMethod() + " " + path);
      return ProblemDocument.of(unavailable(fault), path);
    }
    String id = UUID.randomUUID().toString();
    LOG.write(LogEvent.REQUEST_FAILED, fault, "id", id, "path", path, "correlation",
        request.getHeader(RequestTrace.CORRELATION_ID),
        "trace", request.getHeader(RequestTrace.TRACE_PARENT));
    if (DatabaseFaults.isUnconfirmedCommit(fault)) {
      return ProblemDocument.of(Problem.of(503, UNAVAILABLE,
          "the database disconnected before it confirmed the commit: the request may have been executed (log id "
              + id + ")"),
          path);
    }
    return ProblemDocument.of(500, "internal-error", "internal error (log id " + id + ")", path);
  }

  /**
   * The database is to blame, and nothing was committed. An outage is logged now and then, not per
   * request.
   */
  static boolean isTransient(Throwable fault) {
    return DatabaseFaults.isTransient(fault) && !DatabaseFaults.isUnconfirmedCommit(fault);
  }

  /** What the caller is told about a transient fault; its answer has the header Retry-After. */
  static Problem unavailable(Throwable fault) {
    return Problem.of(503, UNAVAILABLE,
        DatabaseFaults.isUnreachable(fault) ? OUTAGE
            : DatabaseFaults.isLocked(fault) ? LOCKED : AT_PRESENT);
  }

  static String code(int status) {
    return status >= 500 ? CODES.getOrDefault(status, "internal-error")
        : CODES.getOrDefault(status, "refused");
  }

  static String detail(int status) {
    return DETAILS.getOrDefault(status, "the request was refused");
  }

  private static Throwable causeOf(Throwable fault, Class<? extends Throwable> type) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return cause;
      }
    }
    return null;
  }
}
