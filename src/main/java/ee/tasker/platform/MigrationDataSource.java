package ee.tasker.platform;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The server's datasource for migrations, whose statements take as long as they take: the bound after which the pool's connections
 * take a silent database for dead would end the making of an index on a large table, and every next start would try it anew. The bound
 * is back when a connection is returned.
 */
final class MigrationDataSource implements DataSource {
  private static final int NONE = 0;

  private final DataSource pool;

  MigrationDataSource(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public Connection getConnection() throws SQLException {
    return unbounded(pool.getConnection());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return unbounded(pool.getConnection(user, password));
  }

  private static Connection unbounded(Connection connection) throws SQLException {
    int bound = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, NONE);
    return (Connection) Proxy.newProxyInstance(MigrationDataSource.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
      if ("close".equals(method.getName()) && !connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, bound);
      }
      try {
        return method.invoke(connection, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    });
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return pool.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter writer) throws SQLException {
    pool.setLogWriter(writer);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    pool.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return pool.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return pool.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return pool.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return pool.isWrapperFor(type);
  }
}
