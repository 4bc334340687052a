package ee.tasker.testing.inside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ee.tasker.platform.Problem;
import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import ee.tasker.task.Tasks;
import ee.tasker.testing.Deployments;
import jakarta.enterprise.concurrent.ContextService;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs inside the server: an application that submits tasks in its own transaction. */
@ExtendWith(ArquillianExtension.class)
class JtaSubmissionIT {
  private static final TaskRequest REQUEST = TaskRequest
      .of("linear", "mathematical_sequence", "1.0.0")
      .context(Json.createObjectBuilder().add("even_number", 2).build());

  @Inject
  TaskSubmissions submissions;

  @Inject
  Tasks tasks;

  @Inject
  UserTransaction transaction;

  @Deployment
  static WebArchive war() {
    return Deployments.warWith(JtaSubmissionIT.class);
  }

  @Test
  void task_is_there_and_runs_once_the_callers_transaction_has_committed() throws Exception {
    transaction.begin();
    SubmittedTask task = submissions.submit(REQUEST);
    transaction.commit();

    assertEquals("complete", awaitTerminalOrBlocked(task.taskUuid()));
  }

  @Test
  void nothing_is_there_when_the_callers_transaction_rolls_back() throws Exception {
    transaction.begin();
    SubmittedTask task = submissions.submit(REQUEST);
    transaction.rollback();

    assertTrue(tasks.describe(task.taskUuid()).isEmpty());
    assertEquals(0, count(
        "select count(*) from tasker.workflow_steps where task_uuid = '" + task.taskUuid() + "'"));
    assertEquals(0,
        count("select count(*) from tasker.workflow_step_transitions where task_uuid = '"
            + task.taskUuid() + "'"));
  }

  @Test
  void nothing_runs_before_the_commit() throws Exception {
    transaction.begin();
    SubmittedTask task = submissions.submit(REQUEST);
    // Another task comes and goes meanwhile: the server is awake, and still does not see the first.
    UUID other = inAnotherTransaction();
    assertEquals("complete", terminalOrBlockedSeenFromOutside(other));
    assertEquals(0,
        count("select count(*) from tasker.tasks where task_uuid = '" + task.taskUuid() + "'"));
    transaction.commit();

    assertEquals("complete", awaitTerminalOrBlocked(task.taskUuid()));
  }

  @Test
  void task_and_the_callers_own_rows_share_one_fate() throws Exception {
    execute("create schema if not exists shop");
    execute("create table if not exists shop.orders (task_uuid uuid)");

    transaction.begin();
    SubmittedTask kept = order();
    transaction.commit();
    transaction.begin();
    SubmittedTask lost = order();
    transaction.setRollbackOnly();
    transaction.rollback();

    assertEquals(1,
        count("select count(*) from shop.orders where task_uuid = '" + kept.taskUuid() + "'"));
    assertEquals("complete", awaitTerminalOrBlocked(kept.taskUuid()));
    assertEquals(0,
        count("select count(*) from shop.orders where task_uuid = '" + lost.taskUuid() + "'"));
    assertTrue(tasks.describe(lost.taskUuid()).isEmpty());
  }

  @Test
  void callers_transaction_needs_one_connection_for_its_own_rows_and_the_task() throws Exception {
    execute("create schema if not exists shop");
    execute("create table if not exists shop.orders (task_uuid uuid)");
    ManagedExecutorService executor = InitialContext
        .doLookup("java:comp/DefaultManagedExecutorService");

    // At the same time twice as many as the pool has connections: if each held one and waited for
    // another, none would go on.
    List<Callable<UUID>> callers = Collections.nCopies(60, this::orderThatTakesItsTime);
    for (Future<UUID> order : executor.invokeAll(callers)) {
      assertEquals(1,
          count("select count(*) from shop.orders where task_uuid = '" + order.get() + "'"));
    }
  }

  /**
   * A server that keeps what is read without a transaction with the thread's invocation may share
   * it with an invocation that was prepared on that thread, and close it under that one's hands.
   */
  @Test
  void read_without_a_transaction_owes_nothing_to_the_thread_that_planned_it() throws Exception {
    ContextService contexts = InitialContext.doLookup("java:comp/DefaultContextService");
    UUID task = submissions.submit(REQUEST).taskUuid();
    List<Runnable> planned = new ArrayList<>();

    contexts.contextualRunnable(() -> {
      assertTrue(tasks.describe(task).isPresent());
      planned.add(contexts.contextualRunnable(
          () -> assertTrue(tasks.describe(task).isPresent())));
      assertTrue(tasks.describe(task).isPresent());
    }).run();

    planned.get(0).run();
  }

  @Test
  void refusal_dooms_the_callers_transaction() throws Exception {
    transaction.begin();
    SubmittedTask first = submissions.submit(REQUEST);
    Problem problem = assertThrows(Problem.class,
        () -> submissions.submit(TaskRequest.of("linear", "nobody_knows", "1.0.0")));
    assertEquals("unknown-template", problem.code());
    assertEquals(Status.STATUS_MARKED_ROLLBACK, transaction.getStatus());
    transaction.rollback();

    assertTrue(tasks.describe(first.taskUuid()).isEmpty());
  }

  @Test
  void without_a_transaction_of_the_caller_the_task_is_committed_on_return() throws Exception {
    SubmittedTask task = submissions.submit(REQUEST);

    assertEquals(1,
        count("select count(*) from tasker.tasks where task_uuid = '" + task.taskUuid() + "'"));
    assertFalse(task.isDuplicate());
    assertEquals("complete", awaitTerminalOrBlocked(task.taskUuid()));
  }

  @Test
  void all_of_a_list_or_none_is_submitted() throws Exception {
    long before = count("select count(*) from tasker.tasks");
    Problem problem = assertThrows(Problem.class,
        () -> submissions.submitAll(List.of(REQUEST,
            REQUEST.context(Json.createObjectBuilder().add("even_number", "two").build()))));

    assertEquals("invalid-context", problem.code());
    assertEquals(before, count("select count(*) from tasker.tasks"));
    assertEquals(2, submissions.submitAll(List.of(REQUEST, REQUEST)).stream()
        .map(SubmittedTask::taskUuid).distinct().count());
  }

  @Test
  void context_that_would_not_come_back_as_it_was_is_refused() {
    Problem problem = assertThrows(Problem.class,
        () -> submissions.submit(REQUEST
            .context(Json.createObjectBuilder().add("even_number", 2).add("a", "\ud800").build())));

    assertEquals("context", problem.violations().get(0).field());
  }

  private SubmittedTask order() throws Exception {
    SubmittedTask task = submissions.submit(REQUEST);
    execute("insert into shop.orders values ('" + task.taskUuid() + "')");
    return task;
  }

  private UUID orderThatTakesItsTime() throws Exception {
    transaction.begin();
    SubmittedTask task = submissions.submit(REQUEST);
    LockSupport.parkNanos(200_000_000);
    execute("insert into shop.orders values ('" + task.taskUuid() + "')");
    transaction.commit();
    return task.taskUuid();
  }

  private UUID inAnotherTransaction() throws Exception {
    UUID[] uuid = new UUID[1];
    Thread thread = new Thread(() -> uuid[0] = submissions.submit(REQUEST).taskUuid());
    thread.start();
    thread.join();
    return uuid[0];
  }

  private String terminalOrBlockedSeenFromOutside(UUID task) throws Exception {
    String[] state = new String[1];
    Thread thread = new Thread(() -> state[0] = awaitTerminalOrBlocked(task));
    thread.start();
    thread.join();
    return state[0];
  }

  private String awaitTerminalOrBlocked(UUID task) {
    String state = "absent";
    for (int look = 0; look < 600; look++) {
      state = tasks.describe(task).map(document -> document.getString("state")).orElse("absent");
      if (List.of("complete", "error", "blocked_by_failures", "cancelled").contains(state)) {
        return state;
      }
      LockSupport.parkNanos(50_000_000);
    }
    return state;
  }

  /** By a connection outside any transaction of the caller. */
  private long count(String sql) throws Exception {
    long[] count = new long[1];
    Exception[] failed = new Exception[1];
    Thread thread = new Thread(() -> {
      try (Connection connection = datasource().getConnection();
          var rows = connection.createStatement().executeQuery(sql)) {
        rows.next();
        count[0] = rows.getLong(1);
      } catch (Exception e) {
        failed[0] = e;
      }
    });
    thread.start();
    thread.join();
    if (failed[0] != null) {
      throw failed[0];
    }
    return count[0];
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = datasource().getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The one way that all servers understand without a descriptor of their own. */
  private static DataSource datasource() throws Exception {
    return InitialContext.doLookup("jdbc/tasker");
  }
}
