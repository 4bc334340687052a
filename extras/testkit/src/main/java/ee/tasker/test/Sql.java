package ee.tasker.test;

import ee.tasker.platform.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Statements in transactions of their own, on the one connection of a test. What is sealed in their
 * answers is open.
 */
final class Sql implements AutoCloseable {
  private final Connection connection;

  Sql(DataSource dataSource) {
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) {
      throw new IllegalStateException(
          "no connection to the database of the test: " + e.getMessage(), e);
    }
  }

  JsonObject object(String query, Object... arguments) {
    return json(query, arguments).asJsonObject();
  }

  JsonArray array(String query, Object... arguments) {
    return json(query, arguments).asJsonArray();
  }

  private JsonValue json(String query, Object... arguments) {
    String text = text(query, arguments);
    return text == null ? JsonValue.NULL : Sealing.SEALS.open(Json.parse(text), "");
  }

  boolean flag(String query, Object... arguments) {
    return "t".equals(text(query, arguments));
  }

  Instant instant(String query, Object... arguments) {
    return one(query, row -> {
      OffsetDateTime time = row.getObject(1, OffsetDateTime.class);
      return time == null ? null : time.toInstant();
    }, arguments);
  }

  /** The first column of the first row; null for SQL null or no row. */
  String text(String query, Object... arguments) {
    return one(query, row -> row.getString(1), arguments);
  }

  private interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  private <T> T one(String query, Reader<T> reader, Object... arguments) {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < arguments.length; i++) {
        set(statement, i + 1, arguments[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? reader.read(rows) : null;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static void set(PreparedStatement statement, int index, Object value)
      throws SQLException {
    if (value instanceof JsonValue json) {
      statement.setObject(index, json.toString(), Types.OTHER);
    } else if (value instanceof Instant time) {
      statement.setObject(index, time.atOffset(ZoneOffset.UTC));
    } else if (value instanceof UUID || value instanceof Integer) {
      statement.setObject(index, value);
    } else {
      statement.setString(index, (String) value);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
