package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@DatabaseTest
class MigrationDataSourceTest {
  private final PGSimpleDataSource bounded = bounded();

  @Test
  void statement_of_a_migration_may_take_longer_than_the_pool_waits_for_an_answer()
      throws Exception {
    try (Connection connection = MigrationDataSource.of(bounded).getConnection()) {
      assertThat(connection.createStatement().execute("select pg_sleep(1.5)")).isTrue();
    }
    try (Connection connection = bounded.getConnection()) {
      assertThatThrownBy(() -> connection.createStatement().execute("select pg_sleep(1.5)"))
          .isInstanceOf(SQLException.class);
    }
  }

  @Test
  void connection_has_its_bound_again_when_the_pool_gets_it_back() throws Exception {
    try (Connection physical = bounded.getConnection()) {
      PGSimpleDataSource pool = new PGSimpleDataSource() {
        @Override
        public Connection getConnection() {
          return keptOpen(physical);
        }
      };

      try (Connection lent = MigrationDataSource.of(pool).getConnection()) {
        assertThat(lent.getNetworkTimeout()).isZero();
      }

      assertThat(physical.getNetworkTimeout()).isEqualTo(1_000);
    }
  }

  /** As a pool lends it: closing it closes nothing. */
  private static Connection keptOpen(Connection physical) {
    return (Connection) Proxy.newProxyInstance(MigrationDataSourceTest.class.getClassLoader(),
        new Class<?>[]{Connection.class},
        (proxy, method, arguments) -> "close".equals(method.getName()) ? null
            : method.invoke(physical, arguments));
  }

  private static PGSimpleDataSource bounded() {
    try {
      PGSimpleDataSource source = TestDatabase.get().dataSource().unwrap(PGSimpleDataSource.class);
      PGSimpleDataSource copy = new PGSimpleDataSource();
      copy.setUrl(source.getUrl());
      copy.setUser(source.getUser());
      copy.setPassword(source.getPassword());
      copy.setSocketTimeout(1);
      return copy;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
