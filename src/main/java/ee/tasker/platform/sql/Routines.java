package ee.tasker.platform.sql;

import ee.tasker.platform.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The functions, views and triggers of one version, which are installed in one transaction or not
 * at all (ADR 0085). The scripts of {@code db/install} decide what that takes; the build lists the
 * parts. Thread-safe.
 */
public final class Routines {
  /** What begins a part in the file with the texts of all. */
  private static final String BEGIN = "-- part: ";
  private static final String MANIFEST = "/db/routines.json";

  /** Of half a second each, while other transactions hold tables that change. */
  private static final int ATTEMPTS = 40;

  private final String manifest;
  private final Map<String, String> texts;

  /**
   * @param installed   the version that the database has; empty before the first
   * @param isNewer     whether that is a later one
   * @param isOther     whether that is another one
   * @param pending     how many parts differ
   * @param notCallable functions that the application calls, and that the database has not, or with
   *                    another signature
   */
  public record Comparison(Optional<String> installed, boolean isNewer, boolean isOther,
      int pending,
      Optional<String> notCallable) {
  }

  /**
   * @param manifest as the build writes it, JSON
   * @param texts    all parts in their order, each behind a line that names it
   */
  public Routines(String manifest, String texts) {
    this.manifest = manifest;
    this.texts = parts(texts);
  }

  /** Those of the application. */
  public static Routines ofApplication() {
    return new Routines(resource(MANIFEST), resource("/db/routines.sql"));
  }

  /**
   * What the worker of an application calls, and the rest of its version, without the texts: they
   * are compared and not installed there.
   */
  static Routines ofLibrary() {
    return new Routines(resource(MANIFEST), "");
  }

  /** Of this application, as the build wrote it. */
  static String versionOfApplication() {
    return Json.parseObject(resource(MANIFEST)).getString("version");
  }

  private static Map<String, String> parts(String texts) {
    Map<String, String> parts = new LinkedHashMap<>();
    for (String part : texts.split("(?m)^" + BEGIN)) {
      int end = part.indexOf('\n');
      if (end > 0) {
        parts.put(part.substring(0, end), part.substring(end + 1));
      }
    }
    return parts;
  }

  /** Reads only, and needs nothing but the right to. */
  public Comparison compare(DataSource database) {
    try (Connection connection = database.getConnection()) {
      boolean commits = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        tellManifest(connection);
        try (ResultSet row = statement.executeQuery(script("compare"))) {
          row.next();
          return new Comparison(Optional.ofNullable(row.getString("installed_version")),
              row.getBoolean("is_newer"), row.getBoolean("is_other"), row.getInt("pending"),
              Optional.ofNullable(row.getString("not_callable")));
        }
      } finally {
        connection.rollback();
        connection.setAutoCommit(commits);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the functions of the database cannot be compared: "
          + e.getMessage(), e);
    }
  }

  /**
   * Installs what differs; waits for another server that does, and then finds nothing to do.
   *
   * @return how many parts were installed
   * @throws GivingWay.TablesBusy  if other transactions held tables that change all the time
   * @throws IllegalStateException if it fails; the database is as it was
   */
  public int install(DataSource database) {
    try {
      return GivingWay.repeat(ATTEMPTS, () -> installOnce(database));
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the functions of this version cannot be installed, the database is as it was: "
              + e.getMessage(),
          e);
    }
  }

  private int installOnce(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      boolean commits = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        int installed = install(connection);
        connection.commit();
        return installed;
      } catch (SQLException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(commits);
      }
    }
  }

  private record Pending(String part, boolean isLate) {
  }

  private int install(Connection connection) throws SQLException {
    tellManifest(connection);
    try (Statement statement = connection.createStatement()) {
      // A brace in a function is no escape of JDBC.
      statement.setEscapeProcessing(false);
      statement.execute(script("prepare"));
      List<Pending> pending = pending(statement);
      if (pending.isEmpty() && !isAnythingElseNew(statement)) {
        return 0;
      }
      for (Pending each : pending) {
        if (!each.isLate()) {
          run(statement, each.part());
        }
      }
      statement.execute(script("drop"));
      for (Pending each : pending) {
        if (each.isLate()) {
          run(statement, each.part());
        }
      }
      statement.execute(script("finish"));
      return pending.size();
    }
  }

  /** Something to drop, or only the version. */
  private static boolean isAnythingElseNew(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("""
        select current_setting('tasker.drops') <> '[]'
               or current_setting('tasker.manifest')::jsonb ->> 'version' is distinct from (
                 select i.version from tasker.installations i order by i.installation desc limit 1)
        """)) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static List<Pending> pending(Statement statement) throws SQLException {
    List<Pending> pending = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("""
        select p.value #>> '{}', current_setting('tasker.late')::jsonb @> p.value
        from jsonb_array_elements(current_setting('tasker.pending')::jsonb)
          with ordinality as p(value, position)
        order by p.position""")) {
      while (rows.next()) {
        pending.add(new Pending(rows.getString(1), rows.getBoolean(2)));
      }
    }
    return pending;
  }

  private void run(Statement statement, String part) throws SQLException {
    try {
      statement.execute(texts.get(part));
    } catch (SQLException e) {
      throw new SQLException(part + ": " + e.getMessage(), e.getSQLState(), e);
    }
  }

  private void tellManifest(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection
        .prepareStatement("select set_config('tasker.manifest', ?, true)")) {
      statement.setString(1, manifest);
      statement.execute();
    }
  }

  /** One of {@code db/install}. */
  static String script(String name) {
    return resource("/db/install/" + name + ".sql");
  }

  private static String resource(String name) {
    try (InputStream file = Routines.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException("the application has no " + name);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("the application has no " + name, e);
    }
  }
}
