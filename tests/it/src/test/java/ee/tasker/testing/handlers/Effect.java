package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonNumber;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * The handler of the kill matrix: one committed effect per attempt, with the step as its token,
 * between two points at which a test can
 * stop it. Takes {@code ms} of its configuration; the first {@code fail_times} attempts fail, with
 * {@code fail_permanently} each fails permanently.
 */
@ApplicationScoped
@Handles("testing.Effect")
public class Effect implements StepHandler {
  private static final long PROCESS = ProcessHandle.current().pid();

  private DataSource dataSource;

  /** Not injected: see docs/servers.md. */
  @PostConstruct
  void lookUp() {
    try {
      dataSource = InitialContext.doLookup("jdbc/tasker");
    } catch (NamingException e) {
      // A checked one is not for such a method to throw: Payara refuses the deployment.
      throw new IllegalStateException(e);
    }
  }

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    new CountDownLatch(1).await(number(step, "ms"), TimeUnit.MILLISECONDS);
    try (Connection connection = dataSource.getConnection()) {
      effect(step, connection);
      try (PreparedStatement point = connection
          .prepareStatement("select cast(testing.after_effect(?) as text)")) {
        point.setLong(1, PROCESS);
        point.executeQuery().close();
      }
    }
    if (number(step, "fail_permanently") > 0) {
      return StepOutcome.permanent("FailedOnPurpose", "for what follows from it");
    }
    return step.attempt() <= number(step, "fail_times")
        ? StepOutcome.retryable("FailedOnPurpose", "attempt " + step.attempt())
        : StepOutcome.success();
  }

  private void effect(StepContext step, Connection connection) throws SQLException {
    try (PreparedStatement call = connection
        .prepareStatement("select cast(testing.effect(?, ?, ?, ?, ?, ?) as text)")) {
      call.setObject(1, step.taskUuid());
      call.setObject(2, step.stepUuid());
      call.setString(3, step.stepName());
      call.setInt(4, step.attempt());
      call.setLong(5, PROCESS);
      call.setBoolean(6, isTransactional());
      call.executeQuery().close();
    }
  }

  private static int number(StepContext step, String key) {
    return step.config(key).map(value -> ((JsonNumber) value).intValue()).orElse(0);
  }
}
