package ee.tasker.benchmark;

import ee.tasker.platform.sql.Routines;
import ee.tasker.release.RoutineParts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database with the product's schema and no data, on a running PostgreSQL, without a server. Its
 * connection is the
 * superuser's.
 */
final class Scratch implements AutoCloseable {
  /** Kept in a field, otherwise the garbage collector would reset its level. */
  private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

  private final String base;
  private final String name;
  private final Connection connection;

  /**
   * @param base JDBC address up to the slash before the database's name; user {@code postgres}
   * needs no password
   */
  Scratch(String base, String name) throws SQLException {
    this(base, name, "classpath:db", Routines.ofApplication());
  }

  /** The same with the schema of another checkout, whose folder {@code db} it is. */
  static Scratch of(String base, String name, Path db) throws SQLException {
    try {
      RoutineParts parts = RoutineParts.of(db, "0.0.0", db.resolve("none"));
      return new Scratch(base, name, "filesystem:" + db.toAbsolutePath(),
          new Routines(parts.manifest(), parts.texts()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Scratch(String base, String name, String db, Routines routines) throws SQLException {
    this.base = base;
    this.name = name;
    drop();
    administer("create database " + name);
    FLYWAY_LOG.setLevel(Level.WARNING);
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(base + name);
    database.setUser("postgres");
    Flyway.configure().dataSource(database).schemas("tasker").locations(db + "/migration")
        .failOnMissingLocations(true).load().migrate();
    routines.install(database);
    connection = connect();
  }

  Connection connection() {
    return connection;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(base + name, "postgres", "");
  }

  private void drop() throws SQLException {
    administer("drop database if exists " + name + " with (force)");
  }

  private void administer(String sql) throws SQLException {
    try (Connection administration = DriverManager.getConnection(base + "postgres", "postgres", "");
        var statement = administration.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    drop();
  }
}
