package ee.tasker.rest.http;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;

/**
 * Answers reads, and every other method with 405. The default would answer unknown ones as a fault
 * of the server, and echo a TRACE.
 */
public abstract class ReadOnlyServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;
  static final String ALLOWED = "GET, HEAD, OPTIONS";
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

  @Override
  protected final void service(HttpServletRequest request, HttpServletResponse answer)
      throws ServletException, IOException {
    if (READS.contains(request.getMethod())) {
      super.service(request, answer);
    } else {
      answer.setHeader("Allow", ALLOWED);
      answer.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
    }
  }
}
