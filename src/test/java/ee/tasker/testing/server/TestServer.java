package ee.tasker.testing.server;

import ee.tasker.platform.sql.SchemaInstaller;
import ee.tasker.run.DatabaseAddress;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.Login;
import ee.tasker.run.ServerKind;
import ee.tasker.run.ServerProcess;
import ee.tasker.testing.Deployments;
import ee.tasker.testing.FreePort;
import ee.tasker.testing.Once;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A server process with the WAR of this build, the samples and the handlers of {@link
 * ee.tasker.testing.handlers}.
 */
public final class TestServer implements AutoCloseable {
  private static final Once<EmbeddedDatabase> MIGRATED = new Once<>(TestServer::migrated);
  private static Path war;

  private final ServerProcess process;
  private final EmbeddedDatabase database;
  private final int port;
  private final Thread atExit = new Thread(this::stop, "tasker-it-server");

  private TestServer(ServerProcess process, EmbeddedDatabase database, int port) {
    this.process = process;
    this.database = database;
    this.port = port;
  }

  /**
   * A PostgreSQL with this build's schema and nothing in it, to be closed by the caller. Its
   * servers need not migrate, which would be a quarter of their start.
   */
  public static EmbeddedDatabase newDatabase() {
    return started(EmbeddedDatabase.forTests(MIGRATED.get(),
        Path.of(property("tasker.it.folder")), binaries(),
        property("tasker.postgres.version"), freePort()));
  }

  /** An empty PostgreSQL, to be closed by the caller. */
  public static EmbeddedDatabase newEmptyDatabase() {
    return started(emptyDatabase(Path.of(property("tasker.it.folder"))));
  }

  private static EmbeddedDatabase emptyDatabase(Path folder) {
    return EmbeddedDatabase.forTests(
        folder, binaries(),
        property("tasker.postgres.version"), freePort());
  }

  /** Closed: the others are copies of it, and one of them may get its port. */
  private static EmbeddedDatabase migrated() {
    try (EmbeddedDatabase database = emptyDatabase(
        Path.of(property("tasker.it.folder"), "migrated"))) {
      database.start();
      install(database.address());
      return database;
    }
  }

  /** The schema, as a server would install it. */
  public static void install(DatabaseAddress address) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(address.jdbcUrl());
    source.setUser(address.user());
    source.setPassword(address.password());
    SchemaInstaller.install(source);
  }

  /**
   * The same, but one that waits for the disk as in production, and whose superuser needs no
   * password.
   */
  public static EmbeddedDatabase newDurableDatabase() {
    return newDurableDatabase(property("tasker.postgres.version"), freePort());
  }

  /** The same of a release whose programs have been unpacked, at a port of the caller's choice. */
  public static EmbeddedDatabase newDurableDatabase(String version, int port) {
    return started(EmbeddedDatabase.forBenchmarks(Path.of(property("tasker.it.folder")),
        binaries(), version, port, Map.of()));
  }

  /** Where programs of PostgreSQL are unpacked, once for each release. */
  public static Path binaries() {
    return Path.of(property("tasker.checkout"), ".tasker");
  }

  /**
   * A running standby of a durable database, made of a copy of it and on a port of the caller's
   * choice; to be closed by the caller.
   */
  public static EmbeddedDatabase newStandby(EmbeddedDatabase primary, int port) {
    return startedAndStopped(EmbeddedDatabase.standbyOf(primary,
        Path.of(property("tasker.it.folder")), binaries(),
        property("tasker.postgres.version"), port));
  }

  private static EmbeddedDatabase startedAndStopped(EmbeddedDatabase database) {
    database.start();
    Runtime.getRuntime().addShutdownHook(new Thread(database::close, "tasker-it-database"));
    return database;
  }

  private static EmbeddedDatabase started(EmbeddedDatabase database) {
    startedAndStopped(database);
    new TaskerClient(URI.create("http://127.0.0.1"), database.address()).sql(
        """
        create schema testing;
        create table testing.effects (
          task_uuid uuid, step_uuid uuid, step_name text, attempt int, effect text, process bigint, at timestamptz default clock_timestamp());
        create table testing.released (task_uuid uuid);
        create table testing.bookings (
          task_uuid uuid, step_uuid uuid, attempt int,
          constraint one_booking_per_attempt unique (step_uuid, attempt) deferrable initially deferred)""");
    return database;
  }

  /**
   * Starts a server; it is given back before it is ready, so that several can start side by side.
   */
  public static TestServer starting(EmbeddedDatabase database, Map<String, String> settings) {
    return starting(database, freePort(), settings);
  }

  /**
   * The same on a port of the caller's choice, with the folder that a server on that port had
   * before.
   */
  public static TestServer starting(EmbeddedDatabase database, int port,
      Map<String, String> settings) {
    return starting(database, port, settings, war());
  }

  /** The same with a WAR of the caller's, as of {@link #warWith}. */
  public static TestServer starting(EmbeddedDatabase database, int port,
      Map<String, String> settings, Path war) {
    Map<String, String> environment = new HashMap<>(Map.of(
        "HTTP_HOST", "127.0.0.1", "HTTP_PORT", Integer.toString(port),
        "DB_HOST", database.address().host(), "DB_PORT",
        Integer.toString(database.address().port()),
        "DB_NAME", "tasker", "DB_USER", "tasker", "DB_PASSWORD", "tasker",
        "TASKER_TEMPLATES_FOLDER", Path.of(property("tasker.checkout"), "samples").toString()));
    environment.put("TASKER_GUARDS", "true");
    environment.putAll(Login.FOR_TESTS.environment());
    environment.putAll(settings);
    ServerKind kind = ServerKind.from(System.getProperties());
    ServerProcess process = kind.process(
        Path.of(property("tasker.server.home")), Path.of(property("tasker.it.folder"), "servers"),
        port, environment).quietly();
    TestServer server = new TestServer(process, database, port);
    process.claimPort();
    Runtime.getRuntime().addShutdownHook(server.atExit);
    process.start(kind.config(Path.of(property("tasker.checkout"))), war);
    return server;
  }

  public static TestServer start(EmbeddedDatabase database, Map<String, String> settings) {
    return starting(database, settings).awaitReady();
  }

  public TestServer awaitReady() {
    try {
      process.awaitReady(Duration.ofMinutes(15), database.address());
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

  /** For questions to a database whose servers come and go. */
  public static TaskerClient clientOf(EmbeddedDatabase database) {
    return new TaskerClient(URI.create("http://127.0.0.1"), database.address());
  }

  /** Everything it has logged so far. */
  public String log() {
    try {
      return Files.readString(process.log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its process, for what only a signal can do. */
  public long pid() {
    return process.handle().orElseThrow().pid();
  }

  /**
   * Puts another WAR in the place of the application. @return false for a server that has to be
   * started again for that
   */
  public boolean redeploy(Path war) {
    try {
      return process.redeploy(war);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Deploys another application while it runs, or another version of it: a WAR with the name as
   * its context root, or an EAR.
   */
  public void deployBeside(String name, Path application) {
    try {
      if (!process.deployBeside(name, application)) {
        throw new IllegalStateException(
            ServerKind.from(System.getProperties()).title() + " deploys at its start only");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks it to end and does not wait. */
  public void terminate() {
    process.handle().orElseThrow().destroy();
  }

  public boolean isAlive() {
    return process.handle().filter(ProcessHandle::isAlive).isPresent();
  }

  /** Ends it as a power cut would. */
  public void kill() {
    try {
      process.kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks it to stop, as an operator would, and waits until it has. */
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
      war = warWith("tasker-ee-it.war", unchanged -> unchanged);
    }
    return war;
  }

  /**
   * The WAR of this build with the handlers of the tests and with what the caller adds, as a file
   * of that name.
   */
  public static Path warWith(String name, UnaryOperator<WebArchive> more) {
    return warWith(name, new File(property("tasker.war")), more);
  }

  /** The same of the WAR of another build. */
  public static Path warWith(String name, File war, UnaryOperator<WebArchive> more) {
    File file = Path.of(property("tasker.it.folder"), name).toFile();
    more.apply(Deployments.war(war).addPackages(true, "ee.tasker.testing.handlers"))
        .as(ZipExporter.class).exportTo(file, true);
    return file.toPath();
  }

  public static int freePort() {
    return FreePort.find();
  }

  static String property(String name) {
    String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(
          "Integration tests are run by the build (./mvnw verify): it sets " + name + ".");
    }
    return value;
  }
}
