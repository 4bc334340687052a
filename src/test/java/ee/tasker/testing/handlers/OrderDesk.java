package ee.tasker.testing.handlers;

import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.UUID;
import javax.naming.InitialContext;
import javax.sql.DataSource;

/**
 * An application beside the engine: each of its business transactions writes an order and submits the task of that order, and every third is
 * rolled back. {@code POST /testing/orders?source=…&from=…&count=…} answers a line for each, as it ended; who gets no line does not know.
 */
@WebServlet("/testing/orders")
public class OrderDesk extends HttpServlet {
  private static final long serialVersionUID = 1L;

  @Inject
  private transient TaskSubmissions submissions;

  @Resource
  private transient UserTransaction transaction;

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String source = request.getParameter("source");
    int from = Integer.parseInt(request.getParameter("from"));
    int count = Integer.parseInt(request.getParameter("count"));
    response.setContentType("text/plain");
    PrintWriter answer = response.getWriter();
    for (int number = from; number < from + count; number++) {
      answer.println(number + " " + order(source, number));
      answer.flush();
    }
  }

  /** Both ways of the order: the row before the task, and after it. */
  private String order(String source, int number) {
    try {
      transaction.begin();
      UUID order = UUID.randomUUID();
      if (number % 2 == 0) {
        write(source, number, order, null);
      }
      UUID task = submissions.submit(TaskRequest.of("linear", "mathematical_sequence", "1.0.0").sourceSystem(source)
          .context(Json.createObjectBuilder().add("even_number", 2 + 2 * (number % 50)).build())).taskUuid();
      write(source, number, order, task);
      if (number % 3 == 0) {
        transaction.rollback();
        return "rolled back";
      }
      transaction.commit();
      return "committed";
    } catch (Exception e) {
      giveUp();
      return "unknown";
    }
  }

  private void giveUp() {
    try {
      if (transaction.getStatus() != Status.STATUS_NO_TRANSACTION) {
        transaction.rollback();
      }
    } catch (SystemException e) {
      log("a transaction was left behind", e);
    }
  }

  private static void write(String source, int number, UUID order, UUID task) throws Exception {
    DataSource datasource = InitialContext.doLookup("jdbc/tasker");
    try (Connection connection = datasource.getConnection(); PreparedStatement insert = connection.prepareStatement("""
        insert into testing.orders (order_uuid, source, number, task_uuid) values (?, ?, ?, ?)
        on conflict (order_uuid) do update set task_uuid = excluded.task_uuid""")) {
      insert.setObject(1, order);
      insert.setString(2, source);
      insert.setInt(3, number);
      insert.setObject(4, task);
      insert.executeUpdate();
    }
  }
}
