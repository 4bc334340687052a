package ee.tasker.testing.handlers;

import ee.tasker.handler.Handles;
import ee.tasker.handler.StepContext;
import ee.tasker.handler.StepHandler;
import ee.tasker.handler.StepOutcome;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/**
 * Transactional: writes a booking, and then behaves as {@code way} in the context says. The ledger
 * records that it ran.
 */
@ApplicationScoped
@Handles("testing.Book")
public class Book implements StepHandler {
  private DataSource dataSource;

  @Inject
  private UserTransaction transaction;

  @Inject
  private Witness witness;

  @Inject
  private TaskSubmissions submissions;

  /** The one way that all servers understand without a descriptor of their own. */
  @PostConstruct
  void lookUp() {
    try {
      dataSource = InitialContext.doLookup("jdbc/tasker");
    } catch (NamingException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean isTransactional() {
    return true;
  }

  @Override
  public StepOutcome handle(StepContext step) throws Exception {
    if (step.checkpoint().isPresent()) {
      // It has booked, and yielded.
      return StepOutcome.success(Json.createValue(1));
    }
    book(step);
    witness.saw(step, "booked");
    String way = step.input("way").map(value -> ((JsonString) value).getString()).orElse("");
    switch (way) {
      case "throws" -> throw new IllegalStateException("after the booking");
      case "fails" -> {
        return StepOutcome.permanent("Refused", "after the booking");
      }
      case "throws once" -> {
        if (step.attempt() == 1) {
          throw new IllegalStateException("after the first booking");
        }
      }
      case "marks" -> transaction.setRollbackOnly();
      case "ends" -> transaction.rollback();
      case "replaces" -> {
        transaction.rollback();
        transaction.begin();
        book(step);
      }
      case "bad result" -> {
        return StepOutcome.success(Json.createValue("no number"));
      }
      case "holds first" -> {
        if (step.attempt() == 1) {
          hold(step);
        }
      }
      case "holds" -> hold(step);
      case "submits" -> submitAnother(step);
      case "submits and throws" -> {
        submitAnother(step);
        throw new IllegalStateException("after the submission");
      }
      case "saves" -> step.checkpoint(Json.createValue("half way"));
      case "decides" -> {
        return StepOutcome.decide(Json.createValue(1), "nowhere");
      }
      case "yields" -> {
        return StepOutcome.yield(Json.createValue("booked"));
      }
      case "yields late" -> {
        hold(step);
        return StepOutcome.yield(Json.createValue("half way"));
      }
      case "deferred" -> book(step);
      case "hangs" -> {
        try {
          new CountDownLatch(1).await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          return StepOutcome.success(Json.createValue(1));
        }
      }
      default -> {
      }
    }
    return StepOutcome.success(step.input("result").orElse((JsonValue) Json.createValue(1)));
  }

  private void submitAnother(StepContext step) {
    submissions.submit(
        TaskRequest.of("testing", "booking", "1.0.0").initiator(step.taskUuid().toString()));
  }

  private void hold(StepContext step) throws Exception {
    for (int look = 0; look < 1_200 && !witness.isReleased(step.taskUuid()); look++) {
      new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
    }
  }

  private void book(StepContext step) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert = connection
            .prepareStatement(
                "insert into testing.bookings (task_uuid, step_uuid, attempt) values (?, ?, ?)")) {
      insert.setObject(1, step.taskUuid());
      insert.setObject(2, step.stepUuid());
      insert.setInt(3, step.attempt());
      insert.executeUpdate();
    }
  }
}
