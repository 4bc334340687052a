package ee.tasker.testing.inside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ee.tasker.platform.Problem;
import ee.tasker.task.SubmittedTask;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import ee.tasker.testing.Deployments;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs inside the server: rounds of several tasks and business rows in one transaction, which ends
 * one way or another.
 */
@ExtendWith(ArquillianExtension.class)
class JtaRoundsIT {
  private static final int ROUNDS = 1_000;
  private static final long SEED = 20_261_121;

  /** How a round ends. Half of them are commits. */
  private enum End {
    COMMIT, ROLLBACK, DOOMED, REFUSED_REQUEST, REFUSED_COMMIT
  }

  @Inject
  TaskSubmissions submissions;

  @Inject
  UserTransaction transaction;

  @Deployment
  static WebArchive war() {
    return Deployments.warWith(JtaRoundsIT.class);
  }

  @BeforeEach
  void prepare() throws Exception {
    execute("create schema if not exists shop");
    execute(
        "create table if not exists shop.round_orders (task_uuid uuid, constraint one_order_per_task unique (task_uuid) deferrable initially deferred)");
  }

  @Test
  void tasks_and_orders_are_there_exactly_for_the_rounds_that_committed() throws Exception {
    Random random = new Random(SEED);
    String source = "rounds-" + UUID.randomUUID();
    Set<UUID> expected = new HashSet<>();
    int[] rounds = new int[End.values().length];
    for (int round = 0; round < ROUNDS; round++) {
      End end = random.nextBoolean() ? End.COMMIT
          : End.values()[1 + random.nextInt(End.values().length - 1)];
      rounds[end.ordinal()]++;
      transaction.begin();
      List<UUID> tasks = order(random, source);
      end(end, tasks);
      assertEquals(Status.STATUS_NO_TRANSACTION, transaction.getStatus(),
          "after round " + round + ", " + end);
      if (end == End.COMMIT) {
        expected.addAll(tasks);
      }
    }

    for (End end : End.values()) {
      assertTrue(rounds[end.ordinal()] > ROUNDS / 20,
          end + " came " + rounds[end.ordinal()] + " times");
    }
    assertEquals(expected,
        uuids("select task_uuid from tasker.tasks where source_system = '" + source + "'"));
    assertEquals(expected,
        uuids(
            "select task_uuid from shop.round_orders o where task_uuid in (select task_uuid from tasker.tasks where source_system = '"
                + source + "')"
                + " or not exists (select from tasker.tasks t where t.task_uuid = o.task_uuid)"));
    assertEquals(expected, completed(source, expected.size()));
    assertEquals(4L * expected.size(),
        count("select count(*) from tasker.workflow_steps s join tasker.tasks t using (task_uuid)"
            + " where t.source_system = '" + source + "' and s.state = 'complete'"));
  }

  /**
   * One to three tasks, one by one or as a list, and a row of the application for each, before or
   * after it.
   */
  private List<UUID> order(Random random, String source) throws Exception {
    TaskRequest request = TaskRequest.of("linear", "mathematical_sequence", "1.0.0")
        .sourceSystem(source)
        .context(Json.createObjectBuilder().add("even_number", 2 + 2 * random.nextInt(5)).build());
    int tasks = 1 + random.nextInt(3);
    List<UUID> submitted = new ArrayList<>();
    if (random.nextBoolean()) {
      submissions.submitAll(Stream.generate(() -> request).limit(tasks).toList()).stream()
          .map(SubmittedTask::taskUuid)
          .forEach(submitted::add);
      for (UUID task : submitted) {
        insert(task);
      }
    } else {
      for (int i = 0; i < tasks; i++) {
        submitted.add(submissions.submit(request).taskUuid());
        insert(submitted.get(i));
      }
    }
    return submitted;
  }

  private void end(End end, List<UUID> tasks) throws Exception {
    switch (end) {
      case COMMIT -> transaction.commit();
      case ROLLBACK -> transaction.rollback();
      case DOOMED -> {
        transaction.setRollbackOnly();
        assertThrows(Exception.class, transaction::commit);
      }
      case REFUSED_REQUEST -> {
        assertThrows(Problem.class,
            () -> submissions.submit(TaskRequest.of("linear", "nobody_knows", "1.0.0")));
        transaction.rollback();
      }
      case REFUSED_COMMIT -> {
        insert(tasks.get(0));
        assertThrows(Exception.class, transaction::commit);
      }
    }
  }

  private Set<UUID> completed(String source, int all) throws Exception {
    String sql = "select task_uuid from tasker.tasks where state = 'complete' and source_system = '"
        + source + "'";
    long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (System.nanoTime() < end && uuids(sql).size() < all) {
      LockSupport.parkNanos(200_000_000);
    }
    return uuids(sql);
  }

  private void insert(UUID task) throws Exception {
    try (Connection connection = datasource().getConnection();
        PreparedStatement statement = connection
            .prepareStatement("insert into shop.round_orders values (?)")) {
      statement.setObject(1, task);
      statement.executeUpdate();
    }
  }

  private Set<UUID> uuids(String sql) throws Exception {
    Set<UUID> uuids = new HashSet<>();
    try (Connection connection = datasource().getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        uuids.add(rows.getObject(1, UUID.class));
      }
    }
    return uuids;
  }

  private long count(String sql) throws Exception {
    try (Connection connection = datasource().getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
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
