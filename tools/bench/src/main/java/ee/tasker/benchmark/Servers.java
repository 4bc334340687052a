package ee.tasker.benchmark;

import ee.tasker.run.DatabaseAddress;
import ee.tasker.run.LibertyProcess;
import ee.tasker.run.Login;
import ee.tasker.run.ServerProcess;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The running servers of the product, on neighbouring ports. Each prints to a file in the
 * benchmark's folder.
 */
final class Servers implements AutoCloseable {
  private final Options options;
  private final DatabaseAddress database;
  private final List<ServerProcess> running = new ArrayList<>();
  private Map<String, String> more = Map.of();
  private int working = Integer.MAX_VALUE;

  Servers(Options options, DatabaseAddress database) {
    this.options = options;
    this.database = database;
  }

  /** Stops all, and starts one with this environment in addition; later ones get it too. */
  synchronized void restart(Map<String, String> environment) throws InterruptedException {
    close();
    more = Map.copyOf(environment);
    have(1);
  }

  /** Starts or stops servers of all roles until the number is reached. */
  synchronized void have(int count) throws InterruptedException {
    working = Integer.MAX_VALUE;
    while (running.size() > count) {
      running.remove(running.size() - 1).close();
    }
    while (running.size() < count) {
      start("api,orchestrator,worker");
    }
  }

  synchronized void start(String roles) throws InterruptedException {
    int port = options.httpPort() + running.size();
    ServerProcess server = new LibertyProcess(options.liberty(), options.folder(), port,
        environment(port, roles))
        .withConsole(options.folder().resolve("server-" + port + ".log"));
    running.add(server);
    server.claimPort();
    server.start(options.checkout().resolve("server-config/liberty"), Application
        .with(options.handlers(), options.war(), options.folder().resolve("benchmark.war")));
    server.awaitReady(Duration.ofMinutes(15), database);
  }

  private Map<String, String> environment(int port, String roles) {
    Map<String, String> environment = new HashMap<>(Map.of(
        "HTTP_HOST", "127.0.0.1",
        "HTTP_PORT", Integer.toString(port),
        "DB_HOST", database.host(),
        "DB_PORT", Integer.toString(database.port()),
        "DB_NAME", database.name(),
        "DB_USER", database.user(),
        "DB_PASSWORD", database.password(),
        "TASKER_ROLES", roles,
        "TASKER_API_MAX_BODY_BYTES", Integer.toString(4 << 20)));
    if (options.recordsFlight()) {
      Path recording = options.target().resolve("benchmark-" + port + ".jfr");
      environment.put("JAVA_TOOL_OPTIONS",
          "-XX:StartFlightRecording=filename=" + recording + ",settings=profile,dumponexit=true");
    }
    environment.putAll(Login.FOR_TESTS.environment());
    environment.putAll(options.serverEnvironment());
    environment.putAll(more);
    return environment;
  }

  synchronized List<ProcessHandle> handles() {
    return running.stream().flatMap(server -> server.handle().stream()).toList();
  }

  /** Lets the first {@code count} servers work; the others keep running, warm, and take no work. */
  synchronized void letWork(int count) throws IOException {
    working = count;
    for (int i = 0; i < running.size(); i++) {
      try (Line line = new Line(ports().get(i))) {
        pause(line, i < count ? List.of() : List.of("orchestrator", "worker"));
      }
    }
  }

  private static void pause(Line line, List<String> roles) throws IOException {
    Line.Answer list = line.send("GET", "/v1/servers", "application/json", new byte[0]);
    String uuid = null;
    try (JsonReader reader = Json.createReader(new StringReader(list.text()))) {
      for (JsonObject server : reader.readObject().getJsonArray("servers")
          .getValuesAs(JsonObject.class)) {
        // A server can change only itself.
        if (!server.getJsonArray("allowed_actions").isEmpty()) {
          uuid = server.getString("server_uuid");
        }
      }
    }
    String change = Json.createObjectBuilder().add("paused_roles", Json.createArrayBuilder(roles))
        .add("requested_by", "benchmark")
        .add("reason", "measuring").build().toString();
    Line.Answer answer = line.send("PATCH", "/v1/servers/" + uuid, "application/json",
        change.getBytes(StandardCharsets.UTF_8));
    if (answer.status() != 200) {
      throw new IOException("a server cannot be paused: " + answer.status() + " " + answer.text());
    }
  }

  /**
   * Memory of all servers that is in use as the system counts it, not as the heap does; NaN where
   * there is no {@code /proc}.
   */
  synchronized double residentMebibytes() {
    double pages = 0;
    for (ProcessHandle handle : handles()) {
      try {
        pages += Double.parseDouble(
            Files.readString(Path.of("/proc", Long.toString(handle.pid()), "statm")).split(" ")[1]);
      } catch (IOException e) {
        return Double.NaN;
      }
    }
    return pages * 4096 / (1 << 20);
  }

  synchronized List<Integer> ports() {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < running.size(); i++) {
      ports.add(options.httpPort() + i);
    }
    return ports;
  }

  /** The connection of this number: one after the other to each server that works. */
  synchronized Line line(int number) throws IOException {
    return new Line(ports().get(number % Math.min(working, running.size())));
  }

  @Override
  public synchronized void close() {
    running.forEach(ServerProcess::close);
    running.clear();
  }
}
