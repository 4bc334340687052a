package ee.tasker.rest.http;

import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;

/**
 * The application's error page, used instead of the application server's own, which names classes
 * and versions: a problem
 * below {@code /v1} and for programs, a short page for browsers elsewhere. The deployment
 * descriptor maps every error here.
 * The folder of the assets is mapped here too: application servers would redirect it to the host
 * that the client named.
 */
@WebServlet({"/assets/error", "/assets"})
public class ErrorServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;
  private static final Log LOG = Log.of(ErrorServlet.class);
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse answer)
      throws IOException {
    // A direct request for this servlet's own path is 404.
    int status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer given
        && given >= 400 ? given : NOT_FOUND;
    String path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String asked
        ? asked : request.getRequestURI();
    if (status >= 500 && AccessFilter.isOdd(path)) {
      // The request never reached the application, whose filter refuses such paths: the application
      // server rejected it
      // before.
      status = BAD_REQUEST;
    }
    if (status == HttpServletResponse.SC_NOT_IMPLEMENTED) {
      // The application server's word for a method that a file does not have.
      status = HttpServletResponse.SC_METHOD_NOT_ALLOWED;
      answer.setHeader("Allow", ReadOnlyServlet.ALLOWED);
    }
    String detail = status >= 500 ? fault(request, path) : FaultMapper.detail(status);
    UnreadBodies.dismiss(request, answer);
    answer.setStatus(status);
    AccessFilter.writeHeaders(answer, false);
    answer.setCharacterEncoding("UTF-8");
    if (isForBrowsers(request, path)) {
      answer.setContentType("text/html");
      answer.getWriter()
          .write("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + status
              + "</title></head><body><main><h1>"
              + status + "</h1><p>"
              + Character.toUpperCase(detail.charAt(0)) + detail.substring(1)
              + ".</p></main></body></html>\n");
    } else {
      answer.setContentType(ProblemDocument.MEDIA_TYPE);
      answer.getWriter()
          .write(ProblemDocument.plain(status, FaultMapper.code(status), detail, path).toString());
    }
  }

  private static String fault(HttpServletRequest request, String path) {
    String id = UUID.randomUUID().toString();
    Throwable cause = request
        .getAttribute(RequestDispatcher.ERROR_EXCEPTION) instanceof Throwable thrown ? thrown
            : null;
    LOG.write(LogEvent.REQUEST_FAILED, cause, "id", id, "path", path);
    return "internal error (log id " + id + ")";
  }

  private static boolean isForBrowsers(HttpServletRequest request, String path) {
    String accept = request.getHeader("Accept");
    String below = path.startsWith(request.getContextPath())
        ? path.substring(request.getContextPath().length()) : path;
    return accept != null && accept.contains("text/html") && !below.equals("/v1")
        && !below.startsWith("/v1/");
  }
}
