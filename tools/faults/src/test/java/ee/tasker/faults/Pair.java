package ee.tasker.faults;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Two servers of any kind on one durable database with the shipped settings, exposed to the actions
 * of operators and to
 * power cuts.
 */
final class Pair implements AutoCloseable {
  private final EmbeddedDatabase database = TestServer.newDurableDatabase();
  private final Map<String, String> settings;
  private final List<Integer> ports = IntStream.range(0, 2).map(server -> TestServer.freePort())
      .boxed().toList();
  private final TestServer[] servers = new TestServer[ports.size()];
  private final TaskerClient tasker = TestServer.clientOf(database);

  Pair(Map<String, String> settings) {
    this.settings = settings;
  }

  void start(Path war) {
    // One after the other: there are only two processors, and the first creates the schema.
    for (int server = 0; server < servers.length; server++) {
      start(server, war);
    }
    TaskerClient.until("both servers are registered", Duration.ofMinutes(2),
        () -> tasker.count("select tasker.count_servers()") >= 2);
  }

  /** Starts a server, also after it has ended, and waits until it is ready. */
  void start(int server, Path war) {
    if (servers[server] != null) {
      servers[server].close();
    }
    servers[server] = TestServer.starting(database, ports.get(server), settings, war);
    servers[server].awaitReady();
  }

  /**
   * Replaces the application's WAR: in the running server, or, where the server does not support
   * that, with an orderly stop
   * and a start.
   */
  boolean redeploy(int server, Path war) {
    if (servers[server].redeploy(war)) {
      return true;
    }
    start(server, war);
    return false;
  }

  void awaitReady(int server) {
    servers[server].awaitReady();
  }

  void kill(int server) {
    servers[server].kill();
  }

  URI base(int server) {
    return URI.create("http://127.0.0.1:" + ports.get(server));
  }

  int size() {
    return servers.length;
  }

  TaskerClient client(int server) {
    return servers[server].client();
  }

  /** For queries to the database. */
  TaskerClient tasker() {
    return tasker;
  }

  String log(int server) {
    return servers[server].log();
  }

  @Override
  public void close() {
    for (TestServer server : servers) {
      if (server != null) {
        server.close();
      }
    }
    database.close();
  }
}
