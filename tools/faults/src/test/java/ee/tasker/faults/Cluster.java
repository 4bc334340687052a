package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A durable PostgreSQL and the servers on it. Everything it started is stopped when it is closed,
 * and when this JVM ends.
 */
final class Cluster implements AutoCloseable {
  private final List<Node> nodes = new ArrayList<>();
  private final TaskerClient tasker;
  private EmbeddedDatabase database;
  private FaultPoints points;

  /** The database alone, empty. */
  Cluster(int servers) throws Exception {
    this(servers, TestServer.newDurableDatabase());
  }

  /** The same with that database, which is closed with the cluster. */
  Cluster(int servers, EmbeddedDatabase database) throws Exception {
    this.database = database;
    for (int i = 0; i < servers; i++) {
      nodes.add(new Node(database));
    }
    points = new FaultPoints(database.address().jdbcUrl());
    tasker = TestServer.clientOf(database);
  }

  void start() throws Exception {
    nodes.forEach(Node::start);
    nodes.forEach(Node::awaitReady);
    points.install();
    nodes.get(0).client().register("/testing/faults.yaml");
    tasker.sql(
        """
        insert into tasker.schedules (namespace_name, name, template_name, every_seconds, anchor_at, overlap, catch_up, next_fire_at, next_due_at, created_by, updated_by)
        select 'faults', 'every second', 'scheduled', 1, n.at, 'allow', 'all', n.at, n.at, 'faults', 'faults' from (select date_trunc('second', clock_timestamp()) as at) n""");
    awaitServers(nodes.size());
  }

  void awaitServers(int count) {
    TaskerClient.until(count + " servers are registered", Duration.ofMinutes(2),
        () -> tasker.count(
            "select count(*) from tasker.servers where lease_expires_at > clock_timestamp()") >= count);
  }

  Node node(int number) {
    return nodes.get(number % nodes.size());
  }

  List<Node> nodes() {
    return nodes;
  }

  FaultPoints points() {
    return points;
  }

  /** For queries to the database without a proxy. */
  TaskerClient tasker() {
    return tasker;
  }

  void crashDatabase() {
    database.crash();
  }

  void startDatabase() {
    database.start();
  }

  /** The servers, which have been stopped, work on another database at the same address. */
  void moveTo(EmbeddedDatabase other) throws Exception {
    points.close();
    database = other;
    points = new FaultPoints(url());
    nodes.forEach(Node::start);
    nodes.forEach(Node::awaitReady);
    awaitServers(nodes.size());
  }

  String url() {
    return database.address().jdbcUrl();
  }

  /**
   * Ends the schedule, waits until nothing is under way, and checks every promise and each move.
   *
   * @return what the models say of the moves
   */
  String expectSound() {
    tasker.sql("update tasker.schedules set ends_at = greatest(next_fire_at, clock_timestamp()), "
        + "version = version + 1");
    TaskerClient.until("the schedule has caught up", Duration.ofMinutes(2), () -> tasker
        .count("select count(*) from tasker.schedules where wake_at is not null") == 0);
    TaskerClient.until("no message is left", Duration.ofMinutes(2),
        () -> History.messages(tasker).isEmpty());
    ModelMoves moves = ModelMoves.of(tasker);
    assertThat(tasker.sql("select * from tasker.check_history(p_quiet_for => '1 second') "
        + "where violations > 0")).isEmpty();
    assertThat(moves.unknown()).isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    return moves.sentence();
  }

  @Override
  public void close() {
    List<AutoCloseable> all = new ArrayList<>(nodes);
    all.add(points);
    all.add(database);
    for (AutoCloseable each : all) {
      try {
        each.close();
      } catch (Exception e) {
        System.out.println("while closing: " + e);
      }
    }
  }
}
