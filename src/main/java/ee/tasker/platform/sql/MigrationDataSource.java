package ee.tasker.platform.sql;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The server's data source for migrations, without a socket timeout: the bound after which the
 * pool's connections consider
 * a silent database dead would abort the creation of an index on a large table, and every later
 * start would try again. The
 * bound is restored when a connection is returned.
 */
final class MigrationDataSource {
  private static final int NONE = 0;

  private MigrationDataSource() {
  }

  static DataSource of(DataSource pool) {
    return proxy(DataSource.class, (method, arguments) -> {
      Object result = call(pool, method, arguments);
      return result instanceof Connection connection ? unbounded(connection) : result;
    });
  }

  private static Connection unbounded(Connection connection) throws SQLException {
    int bound = connection.getNetworkTimeout();
    connection.setNetworkTimeout(Runnable::run, NONE);
    return proxy(Connection.class, (method, arguments) -> {
      if ("close".equals(method.getName()) && !connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, bound);
      }
      return call(connection, method, arguments);
    });
  }

  private interface Call {
    Object answer(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(MigrationDataSource.class.getClassLoader(), new Class<?>[]{type},
            (proxy, method, arguments) -> call.answer(method, arguments)));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
