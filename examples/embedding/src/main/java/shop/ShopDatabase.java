package shop;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** Statements on the data source that the shop shares with Tasker EE, so that both take part in one transaction. */
@ApplicationScoped
public class ShopDatabase {

  /** Affected rows. */
  public int update(String sql, Object... parameters) {
    try (var connection = dataSource().getConnection(); PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      return statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The first column of the first row. */
  public long number(String sql, Object... parameters) {
    try (var connection = dataSource().getConnection(); PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
  }

  /** Looked up rather than injected: this way the name means the same on every server. */
  private static DataSource dataSource() {
    try {
      return InitialContext.doLookup("jdbc/tasker");
    } catch (NamingException e) {
      throw new IllegalStateException(e);
    }
  }
}
