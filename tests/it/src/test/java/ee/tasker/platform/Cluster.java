package ee.tasker.platform;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** A PostgreSQL whose superuser, the tests' administrator, needs no password. */
final class Cluster implements AutoCloseable {
  private final EmbeddedDatabase database = TestServer.newDurableDatabase();

  EmbeddedDatabase database() {
    return database;
  }

  int port() {
    return database.address().port();
  }

  /** Each statement in a transaction of its own. */
  void administer(String name, String... statements) {
    try (
        Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:" + port() + "/" + name + "?user=postgres");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The value of a query. */
  String text(String name, String query) {
    try (
        Connection connection = DriverManager
            .getConnection("jdbc:postgresql://127.0.0.1:" + port() + "/" + name + "?user=postgres");
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Settings in postgresql.conf, after which it is started again. */
  void restartWith(Map<String, String> settings, String access) {
    database.close();
    try {
      StringBuilder lines = new StringBuilder("\n");
      settings.forEach(
          (name, value) -> lines.append(name).append(" = '").append(value).append("'\n"));
      Path file = database.data().resolve("postgresql.conf");
      Files.writeString(file, Files.readString(file) + lines);
      if (access != null) {
        Files.writeString(database.data().resolve("pg_hba.conf"), access);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    database.start();
  }

  /** The environment of a server that works in one of its databases. */
  Map<String, String> environment(String name, String user, String password,
      Map<String, String> more) {
    Map<String, String> all = new HashMap<>(
        Map.of("DB_NAME", name, "DB_USER", user, "DB_PASSWORD", password));
    all.putAll(more);
    return all;
  }

  /** Runs a task of the samples to its end. */
  static String runTask(TestServer server, int number) {
    TaskerClient tasker = server.client();
    UUID task = tasker.submit("linear", "mathematical_sequence",
        "{\"even_number\": " + number + "}");
    return tasker.awaitTerminalOrBlocked(task).getString("state");
  }

  @Override
  public void close() {
    database.close();
  }
}
