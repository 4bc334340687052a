package ee.tasker.faults;

import ee.tasker.faults.FaultPoints.Point;
import ee.tasker.faults.FaultPoints.Stopped;
import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * One fault in progress: its victim, the other server, and the actions that {@link Fault} consists
 * of. When it returns, all
 * servers work again.
 */
final class Strike {
  /** Longer than a lease, and than the second of grace after it. */
  static final Duration PAST_THE_LEASE = Duration.ofSeconds(8);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Cluster cluster;
  private final Random random;
  private final Node victim;
  private final Node other;
  private final Load load;
  private Instant at;

  Strike(Cluster cluster, Random random, Load load) {
    this.cluster = cluster;
    this.random = random;
    this.load = load;
    int number = random.nextInt(cluster.nodes().size());
    this.victim = cluster.node(number);
    this.other = cluster.node(number + 1);
  }

  interface Blow {
    void fall(Strike strike) throws Exception;
  }

  /** When it struck. */
  Instant at() {
    return at == null ? Instant.now() : at;
  }

  void now() {
    at = Instant.now();
  }

  // ---- when

  void soon() {
    TaskerClient.pause(Duration.ofMillis(random.nextInt(1_500)));
  }

  /**
   * Stops a transaction of the victim at the point, with everything written and nothing committed.
   */
  Stopped stopAt(Point point) throws Exception {
    return stopAt(point, victim);
  }

  Stopped stopAt(Point point, Node node) throws Exception {
    cluster.points().arm(point, node.pid());
    try {
      return cluster.points().awaitStopped(PATIENCE);
    } catch (AssertionError never) {
      cluster.points().letGo();
      throw never;
    }
  }

  /** Lets that transaction commit, and withholds the reply from the server. */
  void commitWithoutReply(Stopped stopped, Node node) throws Exception {
    var kept = node.data().keepCommitReply(stopped.clientPort());
    cluster.points().letGo();
    kept.get(20, TimeUnit.SECONDS);
  }

  // ---- what

  static Blow killBeforeCommitOf(Point point) {
    return strike -> {
      strike.stopAt(point);
      strike.now();
      strike.victim.kill();
      strike.cluster.points().letGo();
      strike.victim.restart();
    };
  }

  static Blow killAfterCommitOf(Point point) {
    return strike -> {
      Stopped stopped = strike.stopAt(point);
      strike.commitWithoutReply(stopped, strike.victim);
      strike.now();
      strike.victim.kill();
      strike.victim.restart();
    };
  }

  /**
   * The same for a point that does not know servers: the victim is the server whose transaction
   * came to it.
   */
  static Blow killOwnerBeforeCommitOf(Point point) {
    return strike -> {
      Node owner = strike.ownerOf(strike.stopAt(point));
      strike.now();
      owner.kill();
      strike.cluster.points().letGo();
      owner.restart();
    };
  }

  static Blow killOwnerAfterCommitOf(Point point) {
    return strike -> {
      Stopped stopped = strike.stopAt(point);
      Node owner = strike.ownerOf(stopped);
      strike.commitWithoutReply(stopped, owner);
      strike.now();
      owner.kill();
      owner.restart();
    };
  }

  private Node ownerOf(Stopped stopped) {
    return cluster.nodes().stream().filter(node -> node.data().leadsFrom(stopped.clientPort()))
        .findFirst()
        .orElseThrow(() -> new AssertionError(
            "no server has the connection from port " + stopped.clientPort()));
  }

  /** The server is alive and does not know whether its commit has happened: it has. */
  static Blow loseTheReplyTo(Point point) {
    return strike -> {
      Stopped stopped = strike.stopAt(point);
      strike.commitWithoutReply(stopped, strike.victim);
      strike.now();
      strike.victim.data().cut();
    };
  }

  /**
   * The server is dead and its transaction is not, as after a network cut: it holds its locks for
   * longer than the lease,
   * and then fails.
   */
  static Blow killAndLeaveTheTransactionOf(Point point) {
    return strike -> {
      strike.stopAt(point);
      strike.now();
      strike.cluster.points().disarm();
      strike.victim.kill();
      strike.victim.restart();
      TaskerClient.pause(PAST_THE_LEASE);
      strike.cluster.points().letGo();
    };
  }

  /** The transaction takes longer than the lease, and then commits. */
  static Blow stall(Point point) {
    return strike -> {
      strike.stopAt(point);
      strike.now();
      strike.cluster.points().disarm();
      TaskerClient.pause(PAST_THE_LEASE);
      strike.cluster.points().letGo();
    };
  }

  /** Kills one server and then the other, while it takes over. */
  static Blow killDuringRecovery(boolean afterCommit) {
    return strike -> {
      strike.stopAt(Point.AFTER_EFFECT);
      strike.now();
      strike.victim.kill();
      strike.cluster.points().letGo();
      Stopped stopped = strike.stopAt(Point.RECOVERY, strike.other);
      if (afterCommit) {
        strike.commitWithoutReply(stopped, strike.other);
        strike.other.kill();
      } else {
        strike.other.kill();
        strike.cluster.points().letGo();
      }
      strike.victim.restart();
      strike.other.restart();
    };
  }

  static Blow killDuringCancel(boolean afterCommit) {
    return strike -> {
      strike.cluster.points().arm(Point.CANCEL, strike.victim.pid());
      Stopped stopped = strike.cancelUntilStopped();
      if (afterCommit) {
        strike.commitWithoutReply(stopped, strike.victim);
        strike.now();
        strike.victim.kill();
      } else {
        strike.now();
        strike.victim.kill();
        strike.cluster.points().letGo();
      }
      strike.victim.restart();
    };
  }

  private Stopped cancelUntilStopped() throws Exception {
    for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end;) {
      List<Map<String, Object>> running = cluster.tasker().sql(
          "select task_uuid from tasker.tasks where source_system = ? and parent_task_uuid is null and completed_at is null order by created_at desc limit 1",
          load.round());
      if (!running.isEmpty()) {
        victim.client()
            .sendLater(
                victim.client().request("/v1/tasks/" + running.get(0).get("task_uuid")).DELETE())
            .exceptionally(killed -> null);
      }
      for (int look = 0; look < 10; look++) {
        var stopped = cluster.points().findStopped();
        if (stopped.isPresent()) {
          return stopped.get();
        }
        TaskerClient.pause(Duration.ofMillis(10));
      }
    }
    cluster.points().letGo();
    throw new AssertionError("no cancel came to the armed point");
  }

  static Blow killAtRandom() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.victim.kill();
      strike.victim.restart();
    };
  }

  static Blow killAllServers() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.cluster.nodes().forEach(Node::kill);
      strike.cluster.nodes().forEach(Node::restart);
    };
  }

  /**
   * Asked to stop, it releases what it has not begun and lets the rest finish; then it is killed in
   * the middle of that.
   */
  static Blow killDuringDrain() {
    return strike -> {
      strike.soon();
      strike.victim.terminate();
      TaskerClient.pause(Duration.ofMillis(strike.random.nextInt(1_500)));
      strike.now();
      strike.victim.kill();
      strike.victim.restart();
    };
  }

  static Blow drain() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.victim.terminate();
      TaskerClient.until("the server has ended by itself", PATIENCE,
          () -> !strike.victim.isAlive());
      strike.victim.restart();
    };
  }

  /** Kills it twice during its start, and then lets it start. */
  static Blow killDuringStart() {
    return strike -> {
      strike.now();
      strike.victim.kill();
      for (int i = 0; i < 2; i++) {
        strike.victim.start();
        TaskerClient.pause(Duration.ofMillis(2_000 + strike.random.nextInt(6_000)));
        strike.victim.kill();
      }
      strike.victim.restart();
    };
  }

  /** A server that is frozen for longer than its leases, and then continues. */
  static Blow freeze() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.victim.freeze();
      TaskerClient.pause(PAST_THE_LEASE);
      strike.victim.thaw();
    };
  }

  /** The same in the middle of a handler, whose effect has happened. */
  static Blow freezeAt(Point point) {
    return strike -> {
      strike.stopAt(point);
      strike.now();
      strike.victim.freeze();
      strike.cluster.points().letGo();
      TaskerClient.pause(PAST_THE_LEASE);
      strike.victim.thaw();
    };
  }

  static Blow cutAll() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.terminateBackends("application_name in ('tasker-ee', 'tasker-listener')");
      strike.soon();
      strike.terminateBackends("application_name in ('tasker-ee', 'tasker-listener')");
    };
  }

  static Blow cutListeners() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.terminateBackends("application_name = 'tasker-listener'");
    };
  }

  private void terminateBackends(String which) {
    cluster.tasker()
        .sql("select count(pg_terminate_backend(pid)) from pg_stat_activity where " + which);
  }

  /** Nothing arrives on the listening connection any more, and it does not end. */
  static Blow silenceListener() {
    return strike -> {
      strike.now();
      strike.victim.listening().fallSilent();
      TaskerClient.pause(PAST_THE_LEASE);
      strike.victim.listening().speak();
    };
  }

  /**
   * Server and database cannot reach each other for longer than a lease; then the connections are
   * reset, or the withheld
   * data arrives.
   */
  static Blow silenceServer(boolean reset) {
    return strike -> {
      strike.soon();
      strike.now();
      strike.victim.data().fallSilent();
      strike.victim.listening().fallSilent();
      TaskerClient.pause(PAST_THE_LEASE);
      if (reset) {
        strike.victim.data().cut();
      }
      strike.victim.data().speak();
      strike.victim.listening().speak();
    };
  }

  static Blow crashDatabase() {
    return strike -> {
      strike.soon();
      strike.now();
      strike.cluster.crashDatabase();
      strike.cluster.startDatabase();
    };
  }

  /** Crashes the database while a transaction is stopped at the point; the server stays alive. */
  static Blow crashDatabaseAt(Point point) {
    return strike -> {
      strike.stopAt(point);
      strike.crashAndRecover();
    };
  }

  static Blow crashDatabaseDuringRecovery() {
    return strike -> {
      strike.stopAt(Point.BEFORE_EFFECT);
      strike.victim.kill();
      strike.cluster.points().letGo();
      strike.stopAt(Point.RECOVERY, strike.other);
      strike.crashAndRecover();
      strike.victim.restart();
    };
  }

  private void crashAndRecover() throws Exception {
    now();
    cluster.crashDatabase();
    cluster.startDatabase();
    cluster.points().letGo();
  }
}
