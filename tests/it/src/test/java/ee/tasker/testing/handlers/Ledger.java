package ee.tasker.testing.handlers;

import ee.tasker.handler.StepContext;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * Effects outside the engine: one row for each thing a handler did, committed at once,
 * independently of the step's outcome. Each in a transaction of its own, at
 * whose end the connection is back in the pool: outside of one Open Liberty keeps it for the
 * handler until that returns.
 */
@ApplicationScoped
public class Ledger {
  private DataSource dataSource;

  @PostConstruct
  void lookUp() {
    try {
      dataSource = InitialContext.doLookup("jdbc/tasker");
    } catch (NamingException e) {
      // A checked one is not for such a method to throw: Payara refuses the deployment.
      throw new IllegalStateException(e);
    }
  }

  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public void write(StepContext step, String effect) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection.prepareStatement(
            "insert into testing.effects (task_uuid, step_uuid, step_name, attempt, effect, process) values (?, ?, ?, ?, ?, ?)")) {
      insert.setObject(1, step.taskUuid());
      insert.setObject(2, step.stepUuid());
      insert.setString(3, step.stepName());
      insert.setInt(4, step.attempt());
      insert.setString(5, effect);
      insert.setLong(6, ProcessHandle.current().pid());
      insert.executeUpdate();
    }
  }

  /** Whether a test let the task go on. */
  @Transactional(Transactional.TxType.REQUIRES_NEW)
  public boolean isReleased(UUID task) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement query = connection
            .prepareStatement("select exists (select from testing.released where task_uuid = ?)")) {
      query.setObject(1, task);
      try (var rows = query.executeQuery()) {
        rows.next();
        return rows.getBoolean(1);
      }
    }
  }
}
