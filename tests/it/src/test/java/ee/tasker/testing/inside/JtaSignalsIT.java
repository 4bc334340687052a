package ee.tasker.testing.inside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import ee.tasker.platform.Problem;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSignals;
import ee.tasker.task.TaskSubmissions;
import ee.tasker.task.Tasks;
import ee.tasker.testing.Deployments;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs inside the server: an application that sends signals in its own transaction. */
@ExtendWith(ArquillianExtension.class)
class JtaSignalsIT {
  private static final JsonObject PAID = Json.createObjectBuilder().add("amount", 12).build();

  @Inject
  TaskSubmissions submissions;

  @Inject
  TaskSignals signals;

  @Inject
  Tasks tasks;

  @Inject
  UserTransaction transaction;

  @Deployment
  static WebArchive war() {
    return Deployments.warWith(JtaSignalsIT.class);
  }

  @BeforeEach
  void template() throws Exception {
    outside(() -> query(
        "select tasker.register_template('{\"namespace_name\": \"jta\", \"name\": \"paid\", \"version\": \"1.0.0\", "
            + "\"content_hash\": \"jta\", \"identity_strategy\": \"always_unique\", \"steps\": [{\"name\": \"pay\", \"signal\": {\"name\": \"paid\", "
            + "\"schema\": {\"type\": \"object\", \"required\": [\"amount\"]}}}]}')::text"));
  }

  private UUID waiting() {
    return submissions.submit(TaskRequest.of("jta", "paid", "1.0.0")).taskUuid();
  }

  @Test
  void signal_is_delivered_once_the_callers_transaction_has_committed() throws Exception {
    UUID task = waiting();
    transaction.begin();
    signals.send(task, "paid", PAID);
    assertEquals("0", count("queued_signals", task));
    transaction.commit();

    assertEquals("complete", awaitEnd(task));
    assertEquals("1", count("task_signals", task));
    assertEquals("0", count("queued_signals", task));
  }

  @Test
  void nothing_is_there_when_the_callers_transaction_rolls_back() throws Exception {
    UUID task = waiting();
    transaction.begin();
    signals.send(task, "paid", PAID);
    transaction.rollback();

    assertEquals("0", count("queued_signals", task));
    assertEquals("waiting_for_dependencies", state(task));
  }

  @Test
  void callers_transaction_locks_no_task_however_long_it_takes() throws Exception {
    UUID task = waiting();
    transaction.begin();
    signals.send(task, "paid", PAID, "late");
    // Another one comes and goes meanwhile, and so does the task.
    outside(() -> {
      signals.send(task, "paid", PAID, "early");
      return null;
    });
    assertEquals("complete", outside(() -> awaitEnd(task)));
    transaction.commit();

    for (int look = 0; look < 600 && !"1".equals(refused(task)); look++) {
      LockSupport.parkNanos(50_000_000);
    }
    assertEquals("1", refused(task), "told why, in the row");
  }

  @Test
  void task_and_its_signal_share_one_fate() throws Exception {
    transaction.begin();
    UUID task = waiting();
    signals.send(task, "paid", PAID);
    transaction.commit();
    assertEquals("complete", awaitEnd(task));

    transaction.begin();
    UUID lost = waiting();
    signals.send(lost, "paid", PAID);
    transaction.rollback();
    assertEquals("0", count("queued_signals", lost));
  }

  @Test
  void signals_by_correlation_id_reach_all_or_none() throws Exception {
    UUID correlation = UUID.randomUUID();
    List<UUID> both = List.of(submitted(correlation), submitted(correlation));
    assertEquals("too-many-receivers",
        assertThrows(Problem.class,
            () -> signals.sendByCorrelation(correlation, "paid", PAID, "p1", 1)).code());
    assertEquals(2, signals.sendByCorrelation(correlation, "paid", PAID, "p1", 2));
    for (UUID task : both) {
      assertEquals("complete", awaitEnd(task));
    }
    assertEquals("no-task-for-signal",
        assertThrows(Problem.class,
            () -> signals.sendByCorrelation(correlation, "paid", PAID, "p2", 2)).code());
  }

  @Test
  void refusal_dooms_the_callers_transaction() throws Exception {
    UUID task = waiting();
    transaction.begin();
    Problem problem = assertThrows(Problem.class,
        () -> signals.send(task, "paid", JsonValue.EMPTY_JSON_OBJECT));
    assertEquals("invalid-payload", problem.code());
    assertEquals(Status.STATUS_MARKED_ROLLBACK, transaction.getStatus());
    transaction.rollback();
    assertEquals("task-not-found",
        assertThrows(Problem.class, () -> signals.send(UUID.randomUUID(), "paid", PAID)).code());
    assertEquals("signal-not-known",
        assertThrows(Problem.class, () -> signals.send(task, "posted", PAID)).code());
    assertEquals("0", count("queued_signals", task));
  }

  private UUID submitted(UUID correlation) {
    return submissions.submit(TaskRequest.of("jta", "paid", "1.0.0").correlationId(correlation))
        .taskUuid();
  }

  private String refused(UUID task) throws Exception {
    return outside(
        () -> query("select count(*) from tasker.queued_signals where task_uuid = '" + task
            + "' and code = 'task-already-ended'"));
  }

  private String state(UUID task) {
    return tasks.describe(task).map(document -> document.getString("state")).orElse("absent");
  }

  private String awaitEnd(UUID task) {
    String state = "absent";
    for (int look = 0; look < 600; look++) {
      state = state(task);
      if (List.of("complete", "error", "blocked_by_failures", "cancelled").contains(state)) {
        return state;
      }
      LockSupport.parkNanos(50_000_000);
    }
    return state;
  }

  private String count(String table, UUID task) throws Exception {
    return outside(
        () -> query("select count(*) from tasker." + table + " where task_uuid = '" + task + "'"));
  }

  /** On a thread of its own, which is in no transaction of the caller. */
  private static <T> T outside(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task);
    thread.start();
    return task.get();
  }

  private static String query(String sql) throws Exception {
    try (Connection connection = InitialContext.<DataSource>doLookup("jdbc/tasker").getConnection();
        var rows = connection.createStatement().executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
