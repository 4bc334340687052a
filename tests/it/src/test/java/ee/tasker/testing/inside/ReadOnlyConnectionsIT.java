package ee.tasker.testing.inside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import ee.tasker.task.Tasks;
import ee.tasker.testing.Deployments;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs inside the server: its pool has connections that refuse every write and look healthy
 * otherwise, as after a switchover behind a proxy,
 * or of a service that demotes a primary without ending its connections.
 */
@ExtendWith(ArquillianExtension.class)
class ReadOnlyConnectionsIT {
  private static final int DEMOTED = 6;
  private static final int ATTEMPTS = 60;

  @Inject
  TaskSubmissions submissions;

  @Inject
  Tasks tasks;

  @Inject
  UserTransaction transaction;

  @Deployment
  static WebArchive war() {
    return Deployments.warWith(ReadOnlyConnectionsIT.class);
  }

  @Test
  void connection_that_refused_a_write_is_not_lent_again() throws Exception {
    demote(DEMOTED);

    int refused = 0;
    UUID submitted = null;
    while (submitted == null && refused < ATTEMPTS) {
      submitted = trySubmit();
      refused += submitted == null ? 1 : 0;
    }

    assertTrue(submitted != null,
        "each of " + ATTEMPTS + " submissions got a connection that refuses writes");
    assertTrue(refused <= DEMOTED,
        refused + " submissions were refused over " + DEMOTED + " connections");
    for (int more = 0; more < 2 * DEMOTED; more++) {
      UUID next = trySubmit();
      refused += next == null ? 1 : 0;
    }
    assertTrue(refused <= DEMOTED,
        refused + " submissions were refused over " + DEMOTED + " connections");
    assertTrue(tasks.describe(submitted).isPresent());
    assertEquals(Status.STATUS_NO_TRANSACTION, transaction.getStatus());
  }

  /** @return null when the database refused the write */
  private UUID trySubmit() throws Exception {
    transaction.begin();
    try {
      SubmittedTask task = submissions
          .submit(TaskRequest.of("linear", "mathematical_sequence", "1.0.0")
              .context(Json.createObjectBuilder().add("even_number", 2).build()));
      transaction.commit();
      return task.taskUuid();
    } catch (Exception refused) {
      if (transaction.getStatus() != Status.STATUS_NO_TRANSACTION) {
        transaction.rollback();
      }
      assertEquals("25006", stateOf(refused), refused.toString());
      return null;
    }
  }

  private static String stateOf(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql) {
        return sql.getSQLState();
      }
    }
    return null;
  }

  private static void demote(int count) throws Exception {
    DataSource pool = InitialContext.doLookup("jdbc/tasker");
    List<Connection> lent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Connection connection = pool.getConnection();
      lent.add(connection);
      connection.createStatement().execute("set session characteristics as transaction read only");
    }
    for (Connection connection : lent) {
      connection.close();
    }
  }
}
