package ee.tasker.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/**
 * The PostgreSQL of the tests that need no server: the one that {@code
 * -Dtest.db.url=jdbc:postgresql://…?user=…} names, of which everything
 * in schema {@code tasker} is then lost; otherwise a container where an engine answers that has the
 * image or can get it; otherwise the
 * embedded one. Which it is, is printed.
 */
interface TestPostgres {
  Map<String, String> SETTINGS = Map.of("fsync", "off", "synchronous_commit", "off",
      "full_page_writes", "off", "autovacuum", "off",
      "deadlock_timeout", "300ms", "max_connections", "50", "track_functions", "all");

  int PORT = 5432;

  enum Kind {
    GIVEN, CONTAINER, EMBEDDED
  }

  /**
   * A database as a user who needs no password there; {@code postgres} is the one, and the user,
   * that tests work with.
   */
  DataSource database(String user, String name);

  /**
   * @param url           empty when none was given
   * @param engineAnswers asked only where there is something to ask
   */
  static Kind choose(String url, Map<String, String> environment, Predicate<Path> exists,
      BooleanSupplier engineAnswers) {
    if (!url.isEmpty()) {
      return Kind.GIVEN;
    }
    Stream<Path> sockets = Stream.concat(Stream.of(Path.of("/var/run/docker.sock")),
        Stream.ofNullable(environment.get("XDG_RUNTIME_DIR"))
            .map(folder -> Path.of(folder, "docker.sock")));
    boolean mayHaveEngine = !environment.getOrDefault("DOCKER_HOST", "").isEmpty()
        || sockets.anyMatch(exists);
    return mayHaveEngine && answers(engineAnswers) ? Kind.CONTAINER : Kind.EMBEDDED;
  }

  /** To ask may fail too: the question may take an image of its own that cannot be had. */
  private static boolean answers(BooleanSupplier engineAnswers) {
    try {
      return engineAnswers.getAsBoolean();
    } catch (RuntimeException e) {
      System.out
          .println("PostgreSQL of the tests: the engine cannot be asked (" + e.getMessage() + ")");
      return false;
    }
  }

  static TestPostgres start() {
    String url = System.getProperty("test.db.url", "");
    switch (choose(url, System.getenv(), Files::exists,
        () -> DockerClientFactory.instance().isDockerAvailable())) {
      case GIVEN -> {
        System.out.println("PostgreSQL of the tests: the one that test.db.url names");
        return given(url);
      }
      case CONTAINER -> {
        return containerOr(TestPostgres::newContainer, TestPostgres::embedded);
      }
      default -> {
        return embedded();
      }
    }
  }

  /**
   * A container that can be reached, or else the other one: what cannot be had is asked for once
   * and leaves nothing behind.
   */
  static TestPostgres containerOr(Supplier<GenericContainer<?>> maker,
      Supplier<TestPostgres> other) {
    GenericContainer<?> container = maker.get();
    try {
      container.start();
      // Asked here: to find the host may take another image, and fail like the start.
      TestPostgres found = at(container.getHost(), container.getMappedPort(PORT));
      System.out
          .println("PostgreSQL of the tests: a container of " + container.getDockerImageName());
      return found;
    } catch (RuntimeException e) {
      System.out.println("PostgreSQL of the tests: an engine answers and has no PostgreSQL for us ("
          + e.getMessage() + ")");
      stop(container);
      return other.get();
    }
  }

  private static void stop(GenericContainer<?> container) {
    try {
      container.stop();
    } catch (RuntimeException e) {
      System.out.println("a container may be left behind: " + e.getMessage());
    }
  }

  private static TestPostgres given(String url) {
    return (user, name) -> {
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setUrl(url);
      if (!name.equals("postgres")) {
        source.setDatabaseName(name);
      }
      if (!user.equals("postgres")) {
        source.setUser(user);
      }
      return source;
    };
  }

  private static GenericContainer<?> newContainer() {
    String image = "postgres:"
        + System.getProperty("tasker.postgres.version", "18").replaceAll("\\..*", "");
    return new GenericContainer<>(image)
        .withEnv("POSTGRES_HOST_AUTH_METHOD", "trust")
        .withCommand(Stream
            .concat(Stream.of("postgres"),
                SETTINGS.entrySet().stream().flatMap(
                    setting -> Stream.of("-c", setting.getKey() + "=" + setting.getValue())))
            .toArray(String[]::new))
        .withExposedPorts(PORT)
        // The first time it is the one that prepares the data folder.
        .waitingFor(Wait.forLogMessage(".*ready to accept connections.*\\s", 2));
  }

  private static TestPostgres at(String host, int port) {
    return (user, name) -> {
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setServerNames(new String[]{host});
      source.setPortNumbers(new int[]{port});
      source.setDatabaseName(name);
      source.setUser(user);
      return source;
    };
  }

  private static TestPostgres embedded() {
    System.out.println("PostgreSQL of the tests: embedded");
    EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
    SETTINGS.forEach(builder::setServerConfig);
    try {
      return builder.start()::getDatabase;
    } catch (IOException e) {
      throw new IllegalStateException("the embedded PostgreSQL did not start", e);
    }
  }
}
