package ee.tasker.testing.desk;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * {@code POST /desk?number=7&way=commit}: 200 when the order is there, 409 when its transaction was
 * rolled back.
 */
@WebServlet("/desk")
public class DeskServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  @Inject
  private transient OrderDesk desk;

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    boolean isThere;
    String why = "";
    try {
      isThere = desk.place(Integer.parseInt(request.getParameter("number")),
          request.getParameter("way"));
    } catch (Exception rolledBack) {
      isThere = false;
      why = rolledBack.toString();
    }
    response.setStatus(isThere ? 200 : 409);
    response.setContentType("text/plain");
    response.getWriter().println(isThere ? "there" : "rolled back " + why);
  }
}
