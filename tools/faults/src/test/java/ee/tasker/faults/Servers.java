package ee.tasker.faults;

import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Two servers of any kind, with the shipped settings, on a {@link DatabasePair}: both are
 * configured with both hosts.
 */
final class Servers implements AutoCloseable {
  private final DatabasePair databases;
  private final Map<String, String> settings;
  private final String name;
  private final Path logs = Path.of(System.getProperty("tasker.checkout"), "target", "faults-logs");
  private int keptLogs;
  private final List<Integer> ports = IntStream.range(0, 2).map(server -> TestServer.freePort())
      .boxed().toList();
  private final TestServer[] servers = new TestServer[ports.size()];
  private final Path[] wars = new Path[ports.size()];

  Servers(DatabasePair databases, String name, Map<String, String> more) {
    this.databases = databases;
    this.name = name;
    this.settings = new HashMap<>(databases.environment());
    this.settings.putAll(more);
    Arrays.fill(wars, TestServer.warWith(name + ".war", unchanged -> unchanged));
  }

  void start() {
    // One after the other: there are only two processors, and the first creates the schema.
    for (int server = 0; server < servers.length; server++) {
      begin(server);
      awaitReady(server);
    }
    TaskerClient.until("both servers are registered", Duration.ofMinutes(2),
        () -> databases.tasker().count("select tasker.count_servers()") >= servers.length);
  }

  /** Starts it without waiting, also after it has ended. */
  void begin(int server) {
    if (servers[server] != null) {
      keepLog(server);
      servers[server].close();
    }
    servers[server] = TestServer.starting(databases.primary(), ports.get(server), settings,
        wars[server]);
  }

  /** As an operator upgrades: drains and ends it, and starts it with another WAR. */
  void replaceWith(int server, Path war) {
    wars[server] = war;
    begin(server);
    awaitReady(server);
  }

  void awaitReady(int server) {
    servers[server].awaitReady();
  }

  boolean isReady(int server) {
    try {
      return client(server).get("/health/ready").status() == 200;
    } catch (RuntimeException notThere) {
      return false;
    }
  }

  void kill(int server) {
    servers[server].kill();
  }

  long pid(int server) {
    return servers[server].pid();
  }

  int size() {
    return servers.length;
  }

  List<URI> bases() {
    return ports.stream().map(port -> URI.create("http://127.0.0.1:" + port)).toList();
  }

  TaskerClient client(int server) {
    return servers[server].client();
  }

  String log(int server) {
    return servers[server].log();
  }

  /** A server that starts again overwrites its log: the previous one would be lost. */
  private void keepLog(int server) {
    try {
      Files.createDirectories(logs);
      Files.writeString(logs.resolve(String.format("%s-%d-%02d.log", name, server, ++keptLogs)),
          log(server));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    for (int server = 0; server < servers.length; server++) {
      if (servers[server] != null) {
        keepLog(server);
        servers[server].close();
      }
    }
  }
}
