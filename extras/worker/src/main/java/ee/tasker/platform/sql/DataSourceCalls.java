package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The way of an application: its own data source, whose connection the server gives to all that
 * takes part in the same transaction, the application's JPA too. A persistence unit of the
 * library's would make those of the application ambiguous. The connection is returned after each
 * call, as in the product.
 */
@ApplicationScoped
class DataSourceCalls implements StatementCalls {
  @Inject
  private ApplicationDataSource source;

  @Override
  public Object value(String sql, Duration most, Object... arguments) {
    try (Connection connection = connection()) {
      return value(connection, sql, most, arguments);
    } catch (SQLException fault) {
      throw new PersistenceException(fault);
    }
  }

  private Connection connection() {
    return ConnectionWaits.timed(() -> {
      try {
        return source.get().getConnection();
      } catch (SQLException fault) {
        throw new PersistenceException(fault);
      }
    });
  }

  private static Object value(Connection connection, String sql, Duration most,
      Object... arguments) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      // Before the connection counts as dead, whose call the database would go on with.
      statement.setQueryTimeout((int) Math.max(1, most.toSeconds()));
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw new PersistenceException("no row");
        }
        return rows.getObject(1);
      }
    } catch (SQLException cause) {
      PersistenceException fault = new PersistenceException(cause);
      if (DatabaseFaults.isReadOnly(cause)) {
        ReadOnlyConnection.discard(() -> connection, fault);
      }
      throw fault;
    }
  }
}
