package ee.tasker.run;

import jakarta.json.Json;
import jakarta.json.JsonReader;
import java.io.PrintStream;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;

/**
 * Checks on a live database that every promise of {@code docs/guarantees.md} was kept, and prints
 * each with the number of its violations and up to five offending rows; then replays every history
 * as moves of the models (docs/model.md). Read-only. {@code db/check-history} does the same with
 * psql only.
 *
 * <p>The exit status is 0 when all were kept, 1 when some were broken, 2 when the check failed.
 */
public final class CheckHistory {
  public static final int KEPT = 0;
  public static final int BROKEN = 1;
  public static final int NOT_CHECKED = 2;

  private CheckHistory() {}

  /**
   * Reads db.url, db.user, db.password, since and quiet.for from system properties; only the first
   * is required.
   */
  public static void main(String[] arguments) {
    var given = System.getProperties();
    var url = given.getProperty("db.url", DatabaseAddress.embedded(54320).jdbcUrl());
    int status = run(url, given.getProperty("db.user", "tasker"),
        given.getProperty("db.password", "tasker"), given.getProperty("since"),
        given.getProperty("quiet.for"), System.out, System.err);
    System.out.flush();
    if (status != KEPT)
      System.exit(status);
  }

  static int run(String url, String user, String password, String since, String quietFor,
      PrintStream out, PrintStream err) {
    try (var connection = connect(url, user, password);
        var check = prepare(connection, since, quietFor);
        var rows = check.executeQuery();
        var replay = prepareReplay(connection, since);
        var moves = replay.executeQuery()) {
      return print(rows, moves, out);
    } catch (SQLException e) {
      err.println("check-history: could not be checked: " + e.getMessage());
      return NOT_CHECKED;
    }
  }

  private static Connection connect(String url, String user, String password) throws SQLException {
    var properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("password", password);
    properties.setProperty("ApplicationName", "tasker-check-history");
    return DriverManager.getConnection(url, properties);
  }

  private static PreparedStatement prepare(Connection connection, String since, String quietFor)
      throws SQLException {
    var check = connection.prepareStatement(
        "select invariant, violations, examples::text from tasker.check_history(cast(? as timestamptz), cast(? as interval))");
    check.setString(1, since);
    check.setString(2, quietFor);
    return check;
  }

  private static PreparedStatement prepareReplay(Connection connection, String since)
      throws SQLException {
    var replay = connection.prepareStatement(
        "select concat_ws(' ', kind, coalesce(from_state, 'nothing'), 'to', to_state, 'by', actor), moves, unknown, examples::text "
            + "from tasker.replay_moves(cast(? as timestamptz))");
    replay.setString(1, since);
    return replay;
  }

  private static boolean printMoves(ResultSet rows, PrintStream out) throws SQLException {
    long moves = 0;
    long unknown = 0;
    while (rows.next()) {
      moves += rows.getLong(2);
      unknown += rows.getLong(3);
      if (rows.getLong(3) > 0) {
        out.printf(Locale.ROOT, "UNKNOWN %8d  %s%n", rows.getLong(3), rows.getString(1));
        try (JsonReader examples = Json.createReader(new StringReader(rows.getString(4)))) {
          examples.readArray().forEach(example -> out.println("                    " + example));
        }
      }
    }
    out.printf(Locale.ROOT, "%d of %d moves are moves of the models%n", moves - unknown, moves);
    return unknown == 0;
  }

  private static int print(ResultSet rows, ResultSet replayed, PrintStream out)
      throws SQLException {
    int promises = 0;
    int kept = 0;
    while (rows.next()) {
      long violations = rows.getLong(2);
      promises++;
      if (violations == 0)
        kept++;
      out.printf(Locale.ROOT, "%s  %8d  %s%n", violations == 0 ? "kept  " : "BROKEN", violations,
          rows.getString(1));
      try (JsonReader examples = Json.createReader(new StringReader(rows.getString(3)))) {
        examples.readArray().forEach(example -> out.println("                    " + example));
      }
    }
    boolean areKnown = printMoves(replayed, out);
    out.printf(Locale.ROOT, "%d of %d promises were kept%n", kept, promises);
    return kept == promises && areKnown ? KEPT : BROKEN;
  }
}
