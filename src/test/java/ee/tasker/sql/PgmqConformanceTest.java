package ee.tasker.sql;

import ee.tasker.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/** Our own functions; or the extension's, where a test database has it. */
class PgmqConformanceTest extends PgmqConformance {

  @Override
  Connection connect() throws SQLException {
    return TestDatabase.get().connect();
  }
}
