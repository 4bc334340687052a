package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.log.Log;
import ee.tasker.platform.log.LogEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

/**
 * Discards a connection to a standby, or to a primary that was demoted while the connection was
 * open, as can happen behind
 * a proxy or a moving address. The pool does not notice and would hand it out again and again; once
 * aborted, it leaves the
 * pool with its transaction.
 */
final class ReadOnlyConnection {
  private static final Log LOG = Log.of(ReadOnlyConnection.class);

  private ReadOnlyConnection() {
  }

  static void discard(Supplier<Connection> connection, RuntimeException fault) {
    LOG.write(LogEvent.CONNECTION_DISCARDED, "cause", DatabaseFaults.message(fault));
    try {
      connection.get().abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      fault.addSuppressed(e);
    }
  }
}
