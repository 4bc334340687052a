package ee.tasker.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The functions of pgmq's makers, in a database that has them: {@code
 * -Dtest.pgmq.url=jdbc:postgresql://…?user=…&password=…}.
 */
@EnabledIfSystemProperty(named = "test.pgmq.url", matches = ".+",
    disabledReason = "no database with pgmq is given (-Dtest.pgmq.url)")
class PgmqOfItsMakersTest extends PgmqConformance {

  @Override
  Connection connect() throws SQLException {
    return DriverManager.getConnection(System.getProperty("test.pgmq.url"));
  }
}
