package ee.tasker.platform;

import java.sql.SQLException;

/** The SQLSTATE of a fault. */
public final class SqlState {
  private SqlState() {
  }

  /** Of the first cause that has one, or null. */
  public static String of(Throwable fault) {
    for (Throwable cause = fault; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return sql.getSQLState();
      }
    }
    return null;
  }
}
