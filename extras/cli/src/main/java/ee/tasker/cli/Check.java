package ee.tasker.cli;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;

/**
 * The proof, as {@code db/check-history} prints it: calls {@code tasker.check_history} in the
 * database, and {@code tasker.replay_moves}, which plays each history against the models.
 */
final class Check {
  private Check() {}

  static int run(Invocation in) {
    String url = in.text("--db-url").or(() -> in.terminal().variable("TASKER_DB_URL"))
        .orElse("jdbc:postgresql://127.0.0.1:54320/tasker");
    if (!url.startsWith("jdbc:postgresql:")) {
      throw new UsageException("--db-url must begin with jdbc:postgresql:");
    }
    JsonObjectBuilder answer = Json.createObjectBuilder();
    int promises = 0;
    int broken = 0;
    long moves = 0;
    long unknown = 0;
    JsonArrayBuilder rows = Json.createArrayBuilder();
    JsonArrayBuilder kinds = Json.createArrayBuilder();
    try (Connection connection = DriverManager.getConnection(url, properties(in));
        PreparedStatement check = connection.prepareStatement(
            "select invariant, violations, examples::text from tasker.check_history(cast(? as timestamptz), cast(? as interval))");
        PreparedStatement replay = connection.prepareStatement(
            "select concat_ws(' ', kind, coalesce(from_state, 'nothing'), 'to', to_state, 'by', actor), moves, unknown, examples::text "
                + "from tasker.replay_moves(cast(? as timestamptz))")) {
      connection.setReadOnly(true);
      check.setString(1, in.text("--since").orElse(null));
      check.setString(2, in.text("--quiet-for").orElse(null));
      try (ResultSet found = check.executeQuery()) {
        while (found.next()) {
          promises++;
          broken += found.getLong(2) > 0 ? 1 : 0;
          rows.add(Json.createObjectBuilder().add("promise", found.getString(1))
              .add("state", found.getLong(2) == 0 ? "kept" : "error")
              .add("violations", found.getLong(2))
              .add("examples",
                  Text.parse(Optional.ofNullable(found.getString(3)).orElse("[]"), "examples")));
        }
      }
      replay.setString(1, in.text("--since").orElse(null));
      try (ResultSet found = replay.executeQuery()) {
        while (found.next()) {
          moves += found.getLong(2);
          unknown += found.getLong(3);
          kinds.add(Json.createObjectBuilder().add("move", found.getString(1))
              .add("moves", found.getLong(2)).add("unknown", found.getLong(3))
              .add("examples", Text.parse(found.getString(4), "examples")));
        }
      }
    } catch (SQLException e) {
      // 08: no connection; 28, 08004: not authenticated. 22: what was typed is no time.
      String state = Optional.ofNullable(e.getSQLState()).orElse("");
      in.terminal().err().println(
          "tasker: could not be checked: " + Text.printable(String.valueOf(e.getMessage())));
      return state.equals("08004") || state.startsWith("28") ? Exit.NOT_AUTHENTICATED
          : state.startsWith("08") ? Exit.UNREACHABLE
              : state.startsWith("22") ? Exit.USAGE : Exit.FAULT;
    }
    JsonObject all = answer.add("promises", rows).add("kept", promises - broken)
        .add("broken", broken).add("moves", moves).add("unknown_moves", unknown)
        .add("kinds_of_moves", kinds).build();
    in.output().print(all, View.rows("promises", "RESULT=state", "VIOLATIONS=violations",
        "PROMISE=promise", "+EXAMPLES=examples"));
    in.output().say(promises - broken + " of " + promises + " promises were kept");
    in.output().say(moves - unknown + " of " + moves + " moves are moves of the models");
    if (unknown > 0) {
      all.getJsonArray("kinds_of_moves").getValuesAs(JsonObject.class).stream()
          .filter(kind -> kind.getJsonNumber("unknown").longValue() > 0)
          .forEach(kind -> in.output().say(
              kind.getString("move") + ": " + kind.get("unknown") + " of " + kind.get("moves")
                  + " are not, for example " + kind.getJsonArray("examples").get(0)));
    }
    return broken == 0 && unknown == 0 ? Exit.DONE : Exit.DIFFERS;
  }

  private static Properties properties(Invocation in) {
    Properties properties = new Properties();
    String url = in.text("--db-url").or(() -> in.terminal().variable("TASKER_DB_URL")).orElse("");
    if (!url.contains("user=")) {
      properties.setProperty("user",
          in.text("--db-user").or(() -> in.terminal().variable("TASKER_DB_USER")).orElse("tasker"));
    }
    if (!url.contains("password=")) {
      properties.setProperty("password",
          in.terminal().variable("TASKER_DB_PASSWORD")
              .or(() -> in.terminal().variable("PGPASSWORD"))
              .orElseGet(() -> url.isEmpty() ? "tasker"
                  : in.terminal().askSecret("Password of the database: ")));
    }
    properties.setProperty("ApplicationName", "tasker check");
    return properties;
  }
}
