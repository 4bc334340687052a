package ee.tasker.platform.sql;

import ee.tasker.platform.SqlState;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Changes of tables and functions beside servers that work: none waits for a lock for longer than
 * half a second, because all calls that come after it wait as long. A lock that is not to be had
 * is tried for again.
 */
final class GivingWay {
  /** A lock that was not to be had, and a deadlock. */
  private static final Set<String> BUSY = Set.of("55P03", "40P01");
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(250);

  /** Nothing has changed, and it may be tried again. */
  static final class TablesBusy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TablesBusy(Exception last) {
      super("other transactions hold tables that change: " + last.getMessage(), last);
    }
  }

  /** In a transaction of its own, of which nothing is left when it fails. */
  interface Attempt<T> {
    T make() throws SQLException;
  }

  private GivingWay() {
  }

  /**
   * @throws TablesBusy if each attempt met a lock
   * @throws SQLException of an attempt that fails for another reason, which is not repeated
   */
  static <T> T repeat(int attempts, Attempt<T> attempt) throws SQLException {
    for (int number = 1;; number++) {
      try {
        return attempt.make();
      } catch (SQLException | RuntimeException e) {
        String state = SqlState.of(e);
        if (state == null || !BUSY.contains(state)) {
          throw e;
        }
        if (number == attempts) {
          throw new TablesBusy(e);
        }
      }
      LockSupport.parkNanos(BETWEEN_ATTEMPTS.toNanos());
    }
  }
}
