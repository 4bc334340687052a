package ee.tasker.platform;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection that leads to a standby, or to a primary that was demoted while the connection lived on, as behind a proxy or an address
 * that moves. No pool sees anything wrong with it and would lend it again and again; aborted, it leaves the pool with its transaction.
 */
final class ReadOnlyConnection {
  private static final Log LOG = Log.of(ReadOnlyConnection.class);

  private ReadOnlyConnection() {
  }

  /** What the entity manager of the call has. */
  interface Wrapper {
    <T> T unwrap(Class<T> type);
  }

  static void discard(Wrapper entityManager, RuntimeException fault) {
    LOG.write(LogEvent.CONNECTION_DISCARDED, "cause", DatabaseFaults.message(fault));
    try {
      entityManager.unwrap(Connection.class).abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      fault.addSuppressed(e);
    }
  }
}
