package ee.tasker.worker;

import java.sql.SQLException;

/** Tells faults that pass from statements that will never work. */
final class DatabaseFaults {

  private DatabaseFaults() {
  }

  /** True when PostgreSQL refused the data itself (class 22) or a check on it (class 23): the same call would fail again. */
  static boolean isAboutTheData(Throwable fault) {
    String state = sqlState(fault);
    return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("54"));
  }

  static String sqlState(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return sql.getSQLState();
      }
    }
    return null;
  }

  /** The driver's own words. */
  static String message(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException) {
        return cause.getMessage();
      }
    }
    return fault.toString();
  }
}
