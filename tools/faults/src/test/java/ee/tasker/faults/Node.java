package ee.tasker.faults;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A server that can be killed: its port stays, its process changes. Its two connections to the
 * database lead through proxies.
 */
final class Node implements AutoCloseable {
  /** Short, so that a recovery takes seconds; a small capacity, so that the queues are used. */
  private static final Map<String, String> SETTINGS = Map.of(
      "TASKER_WORKER_LEASE_SECONDS", "5", "TASKER_WORKER_HEARTBEAT_SECONDS", "1",
      "TASKER_POLL_INTERVAL_SECONDS", "1",
      "TASKER_WORKER_CAPACITY", "24", "TASKER_WORKER_DRAIN_SECONDS", "5");

  private final EmbeddedDatabase database;
  private final int port = TestServer.freePort();
  private final Proxy data;
  private final Proxy listening;
  /** What it has deployed; null for the WAR of this build. */
  private Path war;
  private TestServer server;

  Node(EmbeddedDatabase database) throws IOException {
    this.database = database;
    this.data = new Proxy(database.address().port());
    this.listening = new Proxy(database.address().port());
  }

  /** Starts it, also after it has ended, without waiting; {@link #awaitReady} waits. */
  void start() {
    if (server != null) {
      server.close();
    }
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("DB_PORT", Integer.toString(data.port()));
    settings.put("TASKER_DATABASE_HOST", "127.0.0.1");
    settings.put("TASKER_DATABASE_PORT", Integer.toString(listening.port()));
    server = war == null ? TestServer.starting(database, port, settings)
        : TestServer.starting(database, port, settings, war);
  }

  /** What {@link #start} deploys from now on; null for the WAR of this build. */
  void deploy(Path other) {
    war = other;
  }

  /** As an operator upgrades, or goes back: drains and ends it, and starts it with another WAR. */
  void replaceWith(Path other) {
    deploy(other);
    restart();
  }

  void awaitReady() {
    server.awaitReady();
  }

  TaskerClient client() {
    return server.client();
  }

  /** The data source's path to the database. */
  Proxy data() {
    return data;
  }

  /** The listening connection's path to the database. */
  Proxy listening() {
    return listening;
  }

  long pid() {
    return server.pid();
  }

  void kill() {
    server.kill();
  }

  void restart() {
    start();
    awaitReady();
  }

  /** As an operator stops it, until it has ended. */
  void stop() {
    server.close();
  }

  /** SIGTERM: the server drains. */
  void terminate() {
    server.terminate();
  }

  boolean isAlive() {
    return server.isAlive();
  }

  void freeze() {
    signal("STOP");
  }

  void thaw() {
    signal("CONT");
  }

  String log() {
    return server.log();
  }

  private void signal(String name) {
    try {
      Process kill = new ProcessBuilder(List.of("kill", "-" + name, Long.toString(pid())))
          .inheritIO().start();
      if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new IllegalStateException("signal " + name + " could not be sent");
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      if (server.isAlive()) {
        thaw();
        // An orderly end has nothing that a test still needs to know.
        server.kill();
      }
      server.close();
    }
    data.close();
    listening.close();
  }
}
