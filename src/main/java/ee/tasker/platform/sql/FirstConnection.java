package ee.tasker.platform.sql;

import ee.tasker.platform.SqlState;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.thread.StartSequence;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

/** The first use of a data source, whose failure has another meaning than that of a later one. */
final class FirstConnection {
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private FirstConnection() {
  }

  /**
   * Looked up instead of injected: for {@code @Resource(lookup)}, a name without a scheme is global
   * on one server and local
   * to the component on another.
   */
  static DataSource dataSource(String name) {
    try {
      return InitialContext.doLookup(name);
    } catch (NamingException e) {
      throw new IllegalStateException("the server has no datasource " + name, e);
    }
  }

  /**
   * Every failure to connect, including a wrong password that may be corrected later, is a reason
   * to wait; a later failure is not, nor is a database that this login may not connect to.
   */
  static void expect(DataSource dataSource, Settings.ListenSettings database) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("select 1");
    } catch (SQLException e) {
      if (INSUFFICIENT_PRIVILEGE.equals(SqlState.of(e))) {
        // Without the cause, which a server would show instead.
        throw new IllegalStateException("the login " + database.user()
            + " may not connect. As an administrator of the database: grant connect on database \""
            + database.database() + "\" to \"" + database.user() + "\";");
      }
      throw DirectConnection.readOnlyLogin(database, e).map(StartSequence.NoDatabase::new)
          .orElseGet(() -> new StartSequence.NoDatabase(e));
    }
  }
}
