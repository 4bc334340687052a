package ee.tasker.testing.server;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.LibertyProcess;
import ee.tasker.testing.Deployments;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;

/** A server process with the WAR of this build, the samples and the handlers of {@link ee.tasker.testing.handlers}. */
public final class TestServer implements AutoCloseable {
  private static Path war;

  private final LibertyProcess process;
  private final EmbeddedDatabase database;
  private final int port;
  private final Thread atExit = new Thread(this::stop, "tasker-it-server");

  private TestServer(LibertyProcess process, EmbeddedDatabase database, int port) {
    this.process = process;
    this.database = database;
    this.port = port;
  }

  /** An empty PostgreSQL, to be closed by the caller. */
  public static EmbeddedDatabase newDatabase() {
    EmbeddedDatabase database = EmbeddedDatabase.forTests(
        Path.of(property("tasker.it.folder")), Path.of(property("tasker.checkout"), ".tasker"),
        property("tasker.postgres.version"), freePort());
    database.start();
    Runtime.getRuntime().addShutdownHook(new Thread(database::close, "tasker-it-database"));
    new TaskerClient(URI.create("http://127.0.0.1"), database.address()).sql("""
        create schema testing;
        create table testing.effects (
          task_uuid uuid, step_uuid uuid, step_name text, attempt int, effect text, process bigint, at timestamptz default clock_timestamp());
        create table testing.released (task_uuid uuid)""");
    return database;
  }

  /** Starts a server; it is given back before it is ready, so that several can start side by side. */
  public static TestServer starting(EmbeddedDatabase database, Map<String, String> settings) {
    int port = freePort();
    Map<String, String> environment = new HashMap<>(Map.of(
        "HTTP_HOST", "127.0.0.1", "HTTP_PORT", Integer.toString(port),
        "DB_HOST", database.address().host(), "DB_PORT", Integer.toString(database.address().port()),
        "DB_NAME", "tasker", "DB_USER", "tasker", "DB_PASSWORD", "tasker",
        // Starts sooner, and what comes after is short.
        "JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1",
        "TASKER_TEMPLATES_FOLDER", Path.of(property("tasker.checkout"), "samples").toString()));
    environment.putAll(settings);
    LibertyProcess process = new LibertyProcess(
        Path.of(property("tasker.liberty")), Path.of(property("tasker.it.folder"), "servers"), port, environment).quietly();
    TestServer server = new TestServer(process, database, port);
    process.claimPort();
    Runtime.getRuntime().addShutdownHook(server.atExit);
    process.start(Path.of(property("tasker.checkout"), "server-config/liberty"), war());
    return server;
  }

  public static TestServer start(EmbeddedDatabase database, Map<String, String> settings) {
    return starting(database, settings).awaitReady();
  }

  public TestServer awaitReady() {
    try {
      if (!process.awaitReady(Duration.ofMinutes(2))) {
        throw new IllegalStateException("the server did not become ready; its log: " + process.log());
      }
      return this;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  public URI base() {
    return URI.create("http://127.0.0.1:" + port);
  }

  public TaskerClient client() {
    return new TaskerClient(base(), database.address());
  }

  /** Everything it has logged so far. */
  public String log() {
    try {
      return Files.readString(process.log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it as a power cut would. */
  public void kill() {
    try {
      process.kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks it to end, as a person would, and waits until it has. */
  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    stop();
  }

  private void stop() {
    process.close();
  }

  private static synchronized Path war() {
    if (war == null) {
      File file = Path.of(property("tasker.it.folder"), "tasker-ee-it.war").toFile();
      Deployments.war().addPackages(true, "ee.tasker.testing.handlers").as(ZipExporter.class).exportTo(file, true);
      war = file.toPath();
    }
    return war;
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String property(String name) {
    String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException("Integration tests are run by the build (./mvnw verify): it sets " + name + ".");
    }
    return value;
  }
}
