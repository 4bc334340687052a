package ee.tasker.testing.inside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ee.tasker.insight.Insight;
import ee.tasker.management.ServerManagement;
import ee.tasker.management.ServerView;
import ee.tasker.orchestration.Poller;
import ee.tasker.platform.config.ServerIdentity;
import ee.tasker.task.TaskRequest;
import ee.tasker.task.TaskSubmissions;
import ee.tasker.task.Tasks;
import ee.tasker.testing.Deployments;
import ee.tasker.worker.Worker;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs inside the server, and speaks to the product as a management console does: by names and open
 * types, on a thread that knows nothing of the application.
 */
@ExtendWith(ArquillianExtension.class)
class ManagementIT {
  private static final TaskRequest REQUEST = TaskRequest
      .of("linear", "mathematical_sequence", "1.0.0")
      .context(Json.createObjectBuilder().add("even_number", 2).build());

  private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();

  @Inject
  ServerManagement management;

  @Inject
  ServerIdentity server;

  @Inject
  Insight insight;

  @Inject
  Worker worker;

  @Inject
  Poller poller;

  @Inject
  TaskSubmissions submissions;

  @Inject
  Tasks tasks;

  private int capacity;
  private int pollSeconds;

  @Deployment
  static WebArchive war() {
    return Deployments.warWith(ManagementIT.class)
        .addAsResource(new StringAsset("inside/hold.yaml\n"), "META-INF/tasker-templates")
        .addAsResource(new StringAsset("""
            name: hold
            namespace_name: inside
            version: 1.0.0
            identity_strategy: always_unique
            steps:
              - name: hold
                handler: {callable: inside.Latch}
            """), "inside/hold.yaml");
  }

  @BeforeEach
  void remember() throws Exception {
    until("it listens", () -> management.view().problems().isEmpty());
    capacity = (int) get("WorkerCapacity");
    pollSeconds = (int) get("PollIntervalSeconds");
  }

  @AfterEach
  void restore() throws Exception {
    for (String role : List.of("api", "orchestrator", "worker")) {
      invoke("resume", role);
    }
    invoke("stopDraining");
    set("WorkerCapacity", capacity);
    set("PollIntervalSeconds", pollSeconds);
  }

  @Test
  void bean_is_the_only_one_of_its_name_however_often_the_application_was_deployed_before()
      throws Exception {
    assertEquals(List.of(name()),
        List.copyOf(beans.queryNames(new ObjectName("ee.tasker:*"), null)));
  }

  @Test
  void it_shows_the_values_of_the_rest_interface() throws Exception {
    ServerView view = management.view();

    assertEquals(view.uuid().toString(), get("Uuid"));
    assertEquals(view.name(), get("Name"));
    assertEquals(view.state(), get("State"));
    assertEquals(view.problems(), texts("Problems"));
    assertEquals(view.roles(), texts("Roles"));
    assertEquals(List.of("api", "orchestrator", "worker"), texts("Roles"));
    assertEquals(view.capacity(), get("WorkerCapacity"));
    assertEquals((int) view.pollInterval().toSeconds(), get("PollIntervalSeconds"));
    assertEquals(new TreeSet<>(view.queueDepths().keySet()), new TreeSet<>(depths().keySet()));
    assertTrue(depths().containsKey("worker_linear_queue"), depths().toString());
  }

  @Test
  void paused_worker_claims_nothing_until_it_is_resumed() throws Exception {
    invoke("pause", "worker");
    assertEquals(List.of("worker"), texts("PausedRoles"));
    assertEquals(List.of("api", "orchestrator"), texts("Roles"));

    UUID task = submissions.submit(REQUEST).taskUuid();
    until("its first step waits on the queue", () -> depth() == 1);
    Instant polled = poller.lastPoll();
    set("PollIntervalSeconds", 1);
    until("the poller has run twice", () -> poller.lastPoll().isAfter(polled.plusSeconds(2)));
    assertEquals(1, depth(), "no worker claimed it");
    assertEquals(0, get("RunningSteps"));
    until("others see it",
        () -> "degraded".equals(registered().getString("reported_status"))
            && registered().get("problems").toString().contains("paused here: worker"));

    invoke("resume", "worker");
    assertEquals("complete", awaitTerminalOrBlocked(task));
    until("others see it", () -> "healthy".equals(registered().getString("reported_status")));
  }

  @Test
  void paused_orchestrator_leaves_tasks_alone_until_it_is_resumed() throws Exception {
    invoke("pause", "orchestrator");
    UUID task = submissions.submit(REQUEST).taskUuid();
    Instant polled = poller.lastPoll();
    set("PollIntervalSeconds", 1);
    until("the poller has run twice", () -> poller.lastPoll().isAfter(polled.plusSeconds(2)));
    assertEquals("pending", state(task));

    invoke("resume", "orchestrator");
    assertEquals("complete", awaitTerminalOrBlocked(task));
  }

  /** It is at the schedules when the role is paused; what starts tasks comes after them. */
  @Test
  void pass_that_is_under_way_when_the_orchestrator_is_paused_begins_no_other_duty()
      throws Exception {
    UUID task;
    DataSource pool = InitialContext.doLookup("jdbc/tasker");
    try (Connection other = pool.getConnection()) {
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("lock table tasker.schedules in access exclusive mode");
        set("PollIntervalSeconds", 1);
        until("a pass waits for the schedules", () -> isAwaited(statement, "tasker.schedules"));
        invoke("pause", "orchestrator");
        task = submissions.submit(REQUEST).taskUuid();
      } finally {
        other.rollback();
        other.setAutoCommit(true);
      }
    }
    Instant released = Instant.now();
    until("the pass has ended", () -> poller.lastPoll().isAfter(released)
        && poller.lastSign().equals(poller.lastPoll()));

    assertEquals("pending", state(task));

    invoke("resume", "orchestrator");
    assertEquals("complete", awaitTerminalOrBlocked(task));
  }

  /** It is at the dead letters when the role is paused; what mends lost wake-ups comes after them. */
  @Test
  void poll_that_is_under_way_when_the_orchestrator_is_paused_mends_nothing() throws Exception {
    invoke("pause", "orchestrator");
    UUID task = submissions.submit(REQUEST).taskUuid();
    String wakeUps = " from tasker.task_wakeups where task_uuid = '" + task + "'";
    DataSource pool = InitialContext.doLookup("jdbc/tasker");
    try (Connection other = pool.getConnection();
        Statement statement = other.createStatement()) {
      assertEquals(1, statement.executeUpdate("delete" + wakeUps));
      other.setAutoCommit(false);
      try {
        statement.execute("lock table tasker.tasks_dlq in access exclusive mode");
        set("PollIntervalSeconds", 1);
        invoke("resume", "orchestrator");
        until("a poll waits for the dead letters",
            () -> isAwaited(statement, "tasker.tasks_dlq"));
        invoke("pause", "orchestrator");
      } finally {
        other.rollback();
        other.setAutoCommit(true);
      }
      Instant released = Instant.now();
      until("the poll has ended", () -> poller.lastPoll().isAfter(released));
      try (ResultSet left = statement.executeQuery("select count(*)" + wakeUps)) {
        left.next();
        assertEquals(0, left.getInt(1));
      }
    }

    invoke("resume", "orchestrator");
    assertEquals("complete", awaitTerminalOrBlocked(task));
  }

  @Test
  void capacity_and_poll_interval_are_changed_and_reported() throws Exception {
    set("WorkerCapacity", 7);
    set("PollIntervalSeconds", 2);

    assertEquals(7, get("WorkerCapacity"));
    // A claim in progress holds all free permits for a moment.
    until("all seven are free", () -> worker.availableCapacity() == 7 && availableCapacity() == 7);
    until("others see it", () -> registered().getInt("capacity") == 7);
    assertEquals(2, management.view().pollInterval().toSeconds());
    Instant before = poller.lastPoll();
    until("the poller runs at its new interval",
        () -> poller.lastPoll().isAfter(before.plusSeconds(3)));
    assertEquals("complete", awaitTerminalOrBlocked(submissions.submit(REQUEST).taskUuid()));
  }

  @Test
  void drained_worker_says_so_and_takes_on_again() throws Exception {
    invoke("drain");
    assertEquals("draining", get("State"));
    until("others see it", () -> "draining".equals(registered().getString("health")));
    assertTrue(worker.isDraining());

    UUID task = submissions.submit(REQUEST).taskUuid();
    until("its first step waits on the queue", () -> depth() == 1);
    invoke("stopDraining");

    assertFalse(worker.isDraining());
    assertEquals("complete", awaitTerminalOrBlocked(task));
    until("all permits are available again", () -> worker.availableCapacity() == capacity);
  }

  @Test
  void lease_of_a_running_step_is_shown() throws Exception {
    assertEquals(0, ((CompositeData[]) get("Leases")).length);
    UUID task = submissions.submit(TaskRequest.of("inside", "hold", "1.0.0")).taskUuid();
    until("it runs", () -> worker.runningSteps() == 1);
    CompositeData lease = ((CompositeData[]) get("Leases"))[0];
    Latch.release();

    assertEquals(task.toString(), lease.get("taskUuid"));
    assertEquals(1, lease.get("attempt"));
    assertEquals("complete", awaitTerminalOrBlocked(task));
  }

  @Test
  void nonsense_is_refused_and_changes_nothing() throws Exception {
    assertThrows(RuntimeMBeanException.class, () -> set("WorkerCapacity", 0));
    assertThrows(RuntimeMBeanException.class, () -> set("PollIntervalSeconds", -1));
    assertThrows(RuntimeMBeanException.class, () -> invoke("pause", "waiter"));

    assertEquals(capacity, get("WorkerCapacity"));
    assertEquals(pollSeconds, get("PollIntervalSeconds"));
    assertEquals(List.of(), texts("PausedRoles"));
  }

  private static ObjectName name() throws Exception {
    return new ObjectName("ee.tasker:type=Server");
  }

  private Object get(String attribute) throws Exception {
    return elsewhere(() -> beans.getAttribute(name(), attribute));
  }

  private void set(String attribute, Object value) throws Exception {
    elsewhere(() -> {
      beans.setAttribute(name(), new Attribute(attribute, value));
      return null;
    });
  }

  private void invoke(String operation, String... arguments) throws Exception {
    String[] signature = Arrays.stream(arguments).map(argument -> String.class.getName())
        .toArray(String[]::new);
    elsewhere(() -> beans.invoke(name(), operation, arguments, signature));
  }

  private interface Call {
    Object run() throws Exception;
  }

  /**
   * As a connector of the server would: no transaction, no class loader and no names of the
   * application.
   */
  private static Object elsewhere(Call call) throws Exception {
    FutureTask<Object> future = new FutureTask<>(call::run);
    Thread thread = new Thread(future, "console");
    thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    thread.start();
    try {
      return future.get(30, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private List<String> texts(String attribute) throws Exception {
    return List.of((String[]) get(attribute));
  }

  private Map<String, Long> depths() throws Exception {
    Map<String, Long> depths = new TreeMap<>();
    @SuppressWarnings("unchecked")
    Collection<CompositeData> rows = (Collection<CompositeData>) ((TabularData) get("QueueDepths"))
        .values();
    rows.forEach(row -> depths.put((String) row.get("key"), (Long) row.get("value")));
    return depths;
  }

  private int availableCapacity() {
    try {
      return (int) get("AvailableCapacity");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private long depth() {
    try {
      return depths().get("worker_linear_queue");
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** What others see of this server. */
  private JsonObject registered() {
    return insight.servers().getJsonArray("servers").getValuesAs(JsonObject.class).stream()
        .filter(row -> row.getString("server_uuid").equals(server.uuid().toString())).findFirst()
        .orElseThrow();
  }

  private static boolean isAwaited(Statement statement, String table) {
    try (ResultSet rows = statement.executeQuery("select exists (select from pg_locks"
        + " where relation = '" + table + "'::regclass and not granted)")) {
      return rows.next() && rows.getBoolean(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String state(UUID task) {
    return tasks.describe(task).map(document -> document.getString("state")).orElse("absent");
  }

  private String awaitTerminalOrBlocked(UUID task) {
    until("task " + task + " is terminal or blocked",
        () -> List.of("complete", "error", "blocked_by_failures", "cancelled")
            .contains(state(task)));
    return state(task);
  }

  private static void until(String what, BooleanSupplier condition) {
    for (int look = 0; look < 600; look++) {
      if (condition.getAsBoolean()) {
        return;
      }
      LockSupport.parkNanos(50_000_000);
    }
    throw new AssertionError("not within 30 seconds: " + what);
  }
}
