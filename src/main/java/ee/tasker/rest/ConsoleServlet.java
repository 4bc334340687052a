package ee.tasker.rest;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * The console's page at {@code /console/}. Without the slash it redirects, by a path alone: an
 * application server would
 * redirect to the host that the client named.
 */
@WebServlet({"/console", "/console/"})
public class ConsoleServlet extends ReadOnlyServlet {
  private static final long serialVersionUID = 1L;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse answer)
      throws ServletException, IOException {
    if (request.getRequestURI().endsWith("/")) {
      request.getRequestDispatcher("/console/index.html").forward(request, answer);
    } else {
      answer.setStatus(HttpServletResponse.SC_FOUND);
      answer.setHeader("Location", request.getContextPath() + "/console/");
    }
  }
}
