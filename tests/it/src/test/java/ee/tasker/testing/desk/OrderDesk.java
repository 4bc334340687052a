package ee.tasker.testing.desk;

import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSignals;
import ee.tasker.task.TaskSubmissions;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * The business transaction: an order in a table of its own, the task that will deliver it and the
 * signal that it waits for are all there, or none is.
 */
@ApplicationScoped
public class OrderDesk {
  @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
  private TransactionSynchronizationRegistry transaction;

  @Inject
  private TaskSubmissions tasks;

  @Inject
  private TaskSignals signals;

  /**
   * Places an order, once per number however often it is asked to.
   *
   * @param way how its transaction ends: {@code commit}; {@code exception} or {@code rollback-only}
   *   after the submission; {@code refused-commit},
   *     which the database refuses when it is asked to commit
   * @return whether it is there once this transaction has committed
   */
  @Transactional
  public boolean place(int number, String way) throws NamingException, SQLException {
    if (insert(number, "refused-commit".equals(way) ? -1 : 1)) {
      UUID task = tasks.submit(TaskRequest.of("desk", "deliver", "1.0.0").sourceSystem("desk")
          .context(Json.createObjectBuilder().add("number", number).build())).taskUuid();
      signals.send(task, "confirmed", Json.createObjectBuilder().add("number", number).build(),
          "order-" + number);
      note(number, task);
    }
    switch (way) {
      case "exception" -> throw new IllegalStateException("after the submission");
      case "rollback-only" -> transaction.setRollbackOnly();
      default -> {
      }
    }
    return !transaction.getRollbackOnly();
  }

  /** @return false when it is there already: the answer of an earlier time was lost */
  private static boolean insert(int number, int customer) throws NamingException, SQLException {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement insert = connection
            .prepareStatement(
                "insert into testing.orders (number, customer) values (?, ?) on conflict (number) do nothing")) {
      insert.setInt(1, number);
      insert.setInt(2, customer);
      return insert.executeUpdate() == 1;
    }
  }

  private static void note(int number, UUID task) throws NamingException, SQLException {
    try (Connection connection = dataSource().getConnection();
        PreparedStatement update = connection
            .prepareStatement("update testing.orders set task_uuid = ? where number = ?")) {
      update.setObject(1, task);
      update.setInt(2, number);
      update.executeUpdate();
    }
  }

  /** The one way that all servers understand without a descriptor of their own. */
  static DataSource dataSource() throws NamingException {
    return InitialContext.doLookup("jdbc/tasker");
  }
}
