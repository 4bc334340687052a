package ee.tasker.test;

import ee.tasker.platform.sql.SchemaInstaller;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One database of a test: a copy of the one that was migrated when the first test of this JVM
 * asked. All are on one server, an embedded one, or the one that
 * the property {@value #URL} names. A copy takes about as long as a test, so the next one is made
 * while a test runs.
 */
final class Database implements AutoCloseable {
  /** A JDBC URL of a PostgreSQL, as a user who may create databases; they are dropped again. */
  static final String URL = "tasker.test.url";
  private static final Map<String, String> SETTINGS = Map.of("fsync", "off", "synchronous_commit",
      "off", "full_page_writes", "off",
      "autovacuum", "off", "max_connections", "100");
  /** Kept, or its level would be forgotten with it. */
  private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

  private static final ExecutorService MAKER = Executors.newSingleThreadExecutor(work -> {
    Thread thread = new Thread(work, "tasker-test-databases");
    thread.setDaemon(true);
    return thread;
  });

  /** Once per JVM; what fails here fails again, at once, for every test. */
  private static final class Server {
    static final Server INSTANCE = new Server();

    private final Source source;
    private final String template = name();
    private CompletableFuture<String> next;

    private Server() {
      source = source();
      FLYWAY_LOG.setLevel(Level.WARNING);
      onServer("create database " + template);
      SchemaInstaller.install(source.database(template));
      try (Connection connection = source.database(template).getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("select tasker.make_history_partitions(), tasker.guard_tables(true)");
      } catch (SQLException e) {
        throw new IllegalStateException("partitions and guards could not be made", e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(this::end));
      next = make();
    }

    private static Source source() {
      String url = System.getProperty(URL, "");
      if (!url.isEmpty()) {
        return name -> {
          PGSimpleDataSource given = new PGSimpleDataSource();
          given.setUrl(url);
          if (name != null) {
            given.setDatabaseName(name);
          }
          return given;
        };
      }
      EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
      SETTINGS.forEach(builder::setServerConfig);
      try {
        EmbeddedPostgres postgres = builder.start();
        return name -> postgres.getDatabase("postgres", name == null ? "postgres" : name);
      } catch (IOException e) {
        throw new IllegalStateException("the embedded PostgreSQL did not start", e);
      }
    }

    private CompletableFuture<String> make() {
      return CompletableFuture.supplyAsync(() -> {
        String name = name();
        onServer("create database " + name + " template " + template + " strategy file_copy");
        return name;
      }, MAKER);
    }

    synchronized String take() {
      try {
        return next.join();
      } catch (CompletionException e) {
        throw new IllegalStateException("the database of a test could not be made", e.getCause());
      } finally {
        next = make();
      }
    }

    /** A server of its own ends with the JVM; one that was given keeps nothing of ours. */
    private void end() {
      if (!System.getProperty(URL, "").isEmpty()) {
        drop(take());
        drop(next.join());
        drop(template);
      }
    }

    void drop(String name) {
      onServer("drop database if exists " + name + " with (force)");
    }

    void dropLater(String name) {
      MAKER.execute(() -> drop(name));
    }

    private void onServer(String sql) {
      try (Connection connection = source.database(null).getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new IllegalStateException(sql + ": " + e.getMessage(), e);
      }
    }

    private static String name() {
      return "tasker_test_" + UUID.randomUUID().toString().replace("-", "");
    }
  }

  /** Null names the database of the server's administration. */
  private interface Source {
    DataSource database(String name);
  }

  private final Server server = Server.INSTANCE;
  private final String name = server.take();

  DataSource dataSource() {
    return server.source.database(name);
  }

  @Override
  public void close() {
    server.dropLater(name);
  }
}
